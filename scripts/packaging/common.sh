# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034
# What make-deb, make-rpm and make-tarball share. Source it with the script's arguments in "$@":
#
#   [--arch x86_64|aarch64] [--out FOLDER] [--build FOLDER] [--homepage URL] [--contact 'NAME <ADDRESS>']
#
# Sets: arch, out, version, homepage, contact, work (removed at the end), SOURCE_DATE_EPOCH. Then:
#   stage LIBDIR    builds, and installs stripped into $work/root with prefix /usr
#   node LIBDIR     adds what a node needs: the units, the hook for hooks.d, the switch
#   clamp FOLDER    the same modes and times for everybody
#
# --build keeps the build folder, for the next call with the same --arch.

top=$(cd "$(dirname "$0")/../.." && pwd)
arch=$(uname -m)
out=.
build=
homepage=
contact=
while [ $# -gt 0 ]; do
    case $1 in
    --arch) arch=${2:?} && shift ;;
    --out) out=${2:?} && shift ;;
    --build) build=${2:?} && shift ;;
    --homepage) homepage=${2?} && shift ;;
    --contact) contact=${2?} && shift ;;
    *)
        echo "usage: ${0##*/} [--arch x86_64|aarch64] [--out FOLDER] [--build FOLDER] [--homepage URL]" \
            "[--contact 'NAME <ADDRESS>']" >&2
        exit 2
        ;;
    esac
    shift
done
case $arch in
x86_64 | aarch64) ;;
*)
    echo "${0##*/}: $arch: x86_64 or aarch64" >&2
    exit 2
    ;;
esac

umask 022
export LC_ALL=C TZ=UTC0
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$top/meson.build")
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/cuarbiter-package.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# The date of the sources, not of the build: the last commit's, or the one in an unpacked source archive.
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git -C "$top" log -1 --format=%ct 2>/dev/null) ||
        SOURCE_DATE_EPOCH=$(stat -c %Y "$top/meson.build")
fi
export SOURCE_DATE_EPOCH

compile() { # LIBDIR: sets build
    build=${build:-$work/build}
    set -- --prefix=/usr --libdir="$1" --buildtype=release -Dfloor=portable -Dtests=false
    if [ "$arch" != "$(uname -m)" ] && [ "$arch" != aarch64 ]; then
        echo "${0##*/}: $arch cannot be built on $(uname -m)" >&2
        exit 1
    fi
    if [ -e "$build/build.ninja" ]; then
        meson configure "$build" "$@" >&2
    elif [ "$arch" = "$(uname -m)" ]; then
        meson setup "$build" "$top" "$@" >&2
    else
        meson setup "$build" "$top" --cross-file "$top/scripts/cross/aarch64.ini" \
            --cross-file "$("$top/scripts/fetch-aarch64")/cross.ini" "$@" >&2
    fi
    build=$(cd "$build" && pwd)
    ninja -C "$build" >&2
}

# Which version of a library was linked into answerer or command.
version_of() { # NAME: pkg-config's
    if [ "$arch" = "$(uname -m)" ]; then
        pkg-config --modversion "$1"
    else
        sed -n 's/^Version: *//p' \
            "$("$top/scripts/fetch-aarch64")/usr/lib/aarch64-linux-gnu/pkgconfig/$1.pc"
    fi
}

# The answerer is static.
glibc_version() {
    getconf GNU_LIBC_VERSION | cut -d' ' -f2
}

third_party() { # FOLDER
    mkdir -p "$1"
    cp "$top/scripts/packaging/licenses/"*.txt "$1/"
    # Some of its parts have licences of their own, which have to come along; the system's package lists them.
    [ ! -e /usr/share/doc/libc6-dev/copyright ] || cp -L /usr/share/doc/libc6-dev/copyright "$1/glibc.txt"
    # shellcheck disable=SC1091
    sed -e "s/@LIBELF@/$(version_of libelf)/" -e "s/@LIBYAML@/$(version_of yaml-0.1)/" -e "s/@GLIBC@/$(glibc_version)/" \
        -e "s/@SYSTEM@/$(. /etc/os-release && echo "$ID $VERSION_ID")/" \
        "$top/scripts/packaging/THIRD-PARTY.md.in" >"$1/THIRD-PARTY.md"
}

# The pages keep their places, so that links between them work; a link to a file that is not packed becomes
# plain text.
pages() { # FOLDER
    mkdir -p "$1/docs" "$1/data"
    cp "$top/README.md" "$top/NEWS.md" "$top/LICENSE" "$top/SECURITY.md" "$1/"
    cp "$top/data/README.md" "$top/data/signs.tsv" "$1/data/"
    cp "$top"/docs/*.md "$top/docs/picture.svg" "$1/docs/"
    cp -r "$top/docs/recipes" "$top/docs/evidence" "$1/docs/"
    rm "$1/docs/recipes/meson.build"
    mv "$1/doctor.schema.json" "$1/log.schema.json" "$1/status.schema.json" "$1/docs/"
    ln -s docs/recipes "$1/examples"
    sed -i -E 's,\[([^]]*)\]\((\.\./)*(tests/|man/|CONTRIBUTING)[^)]*\),\1,g' "$1"/*.md "$1"/docs/*.md \
        "$1"/docs/evidence/*.md
}

stage() { # LIBDIR
    compile "$1"
    meson install -C "$build" --no-rebuild --strip --destdir "$work/root" >&2
    doc=$work/root/usr/share/doc/cuarbiter
    pages "$doc"
    third_party "$doc/third-party"
    tools=
    [ "$arch" = "$(uname -m)" ] || tools=$arch-linux-gnu-
    AR=${tools}ar STRIP=${tools}strip "$top/scripts/packaging/relink-kit" "$build" "$work/root/usr/$1/cuarbiter-relink"
}

# Nothing of it is switched on.
node() { # LIBDIR
    folder=/usr/$1/cuarbiter
    mkdir -p "$work/root/usr/lib/systemd/system" "$work/root/usr/share/cuarbiter/hooks.d" "$work/root/etc/cuarbiter/site"
    for unit in "$top/docs/recipes/cdi"/* "$top/docs/recipes/nri"/* "$top/docs/recipes/collect"/*; do
        sed "s,/opt/cuarbiter,$folder,g" "$unit" >"$work/root/usr/lib/systemd/system/${unit##*/}"
    done
    run=
    [ "$arch" = "$(uname -m)" ] || run="qemu-$arch-static -L $("$top/scripts/fetch-aarch64")"
    $run "$build/probe/cuarbiter" node --dir "$work/root$folder" print | sed "s,$work/root,," \
        >"$work/root/usr/share/cuarbiter/hooks.d/cuarbiter.json"
    cp "$top/scripts/packaging/cuarbiter.conf" "$work/root/etc/cuarbiter/site/"
}

# Removing the package takes the hook out of what engines read. Whatever fails, containers start.
off() { # LIBDIR
    echo "/usr/$1/cuarbiter/cuarbiter node off >/dev/null || :"
    echo "/usr/$1/cuarbiter/cuarbiter cdi --remove >/dev/null || :"
}

clamp() { # FOLDER
    find "$1" -type d -exec chmod 755 {} +
    find "$1" -type f -perm -u+x -exec chmod 755 {} +
    find "$1" -type f ! -perm -u+x -exec chmod 644 {} +
    find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}
