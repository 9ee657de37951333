#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The packages: the same bytes whoever makes them where and when; installed and run in old and new
# root file systems; nothing enabled; linked again with another libelf.
# shellcheck disable=SC1091,SC2016,SC2086,SC2154
. "$(dirname "$0")/../fixtures/images.sh"
[ "$(id -u)" = 0 ] || cannot 'not root'
need_tool meson ninja dpkg-deb rpmbuild rpm readelf setpriv
export SOURCE_DATE_EPOCH=1700000000
chmod 755 "$tmp"
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$tree/meson.build")

copy_source() { # FOLDER
    mkdir -p "$1"
    (cd "$tree" && tar c --exclude='./build*' --exclude=./.git --exclude=./dist .) | tar x -C "$1"
}
pack() { # SOURCE OUT ARCH
    "$1/scripts/release" --arch "$3" --out "$2" --homepage https://example.org/ --contact 'A Name <a@example.org>'
}
one=$tmp/one two=$tmp/a/deeper/folder
copy_source "$one"
copy_source "$two"
pack "$one" "$tmp/out1" x86_64 >"$tmp/log" 2>&1 || { sed 's/^/# /' "$tmp/log"; }
# Somebody else, elsewhere, with another umask, in another year.
find "$two" -exec touch -h -d '2019-05-06 07:08:09' {} +
mkdir "$tmp/home2"
chown -R 65534:65534 "$tmp/a" "$tmp/home2"
faketime=$(find /usr/lib -name libfaketime.so.1 2>/dev/null | head -n 1)
(
    umask 077
    export HOME="$tmp/home2" TMPDIR="$tmp/home2" LANG=C.UTF-8 TZ=Asia/Tokyo
    setpriv --reuid 65534 --regid 65534 --clear-groups env \
        ${faketime:+"LD_PRELOAD=$faketime" FAKETIME=+400d FAKETIME_DONT_FAKE_MONOTONIC=1} \
        "$two/scripts/release" --arch x86_64 --out "$tmp/home2/out" --homepage https://example.org/ \
        --contact 'A Name <a@example.org>'
) >"$tmp/log" 2>&1 || { sed 's/^/# /' "$tmp/log" | tail -n 20; }
for file in "$tmp/out1"/*; do
    name=${file##*/}
    that "the same bytes: $name" "$(sha256sum <"$tmp/home2/out/$name" 2>/dev/null)" "$(sha256sum <"$file")"
done
that 'what a release offers' "$(cd "$tmp/out1" && echo *)" "NOTES-$version.md SHA256SUMS \
cuarbiter-$version-1.x86_64.rpm cuarbiter-$version-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl \
cuarbiter-$version-x86_64.oci.tar cuarbiter-$version-x86_64.tar.gz cuarbiter-$version.spdx.json \
cuarbiter-$version.tar.gz \
cuarbiter_${version}_amd64.deb"
that 'checksums' "$(cd "$tmp/out1" && sha256sum --quiet -c SHA256SUMS 2>&1)" ''
like "$(head -n 1 "$tmp/out1/NOTES-$version.md")" "## $version*" 'notes of this version'
that 'a folder in use is refused' "$("$one/scripts/release" --out "$tmp/out1" 2>&1)" "release: $tmp/out1: not empty; --out takes a new or an empty folder"
mkdir "$tmp/few"
for tool in sh dirname sed uname mkdir ls; do ln -s "$(command -v $tool)" "$tmp/few/"; done
like "$(PATH=$tmp/few "$one/scripts/release" --arch x86_64 --out "$tmp/none" 2>&1; ls "$tmp/none")" \
    'release: not here: cc meson *' 'what is missing is named before anything is built'
mkdir "$tmp/source"
tar -xzf "$tmp/out1/cuarbiter-$version.tar.gz" -C "$tmp/source"
that 'the source: what the packages were made from' "$(diff -r "$one" "$tmp/source/cuarbiter-$version")" ''
deb=$tmp/out1/cuarbiter_${version}_amd64.deb
rpm=$tmp/out1/cuarbiter-$version-1.x86_64.rpm
tarball=$tmp/out1/cuarbiter-$version-x86_64.tar.gz

# A distribution's own build: its libelf, and no copy of it.
meson setup "$tmp/distro" "$one" --prefix=/usr -Dfloor=distro -Dtests=false >"$tmp/log" 2>&1 &&
    ninja -C "$tmp/distro" >"$tmp/log" 2>&1 || tail -n 5 "$tmp/log" | sed 's/^/# /'
like "$(readelf -dW "$tmp/distro/probe/cuarbiter")" '*NEEDED*libelf.so.1*' "-Dfloor=distro: the command has the system's libelf"
like "$(readelf -dW "$tmp/distro/probe/cuarbiter-answer" 2>&1)" '*no dynamic section*' '-Dfloor=distro: the answerer is static'
that '-Dfloor=distro: the command runs' "$("$tmp/distro/probe/cuarbiter" --version | head -n 1)" "cuarbiter $version"

mkdir "$tmp/x"
dpkg-deb -x "$deb" "$tmp/x"
for file in third-party/THIRD-PARTY.md third-party/LGPL-3.0.txt third-party/GPL-3.0.txt third-party/LGPL-2.1.txt third-party/glibc.txt \
    third-party/libyaml.txt third-party/jsmn.txt third-party/uthash.txt copyright README.md docs/README.md examples/kubernetes/pod.yaml; do
    that "in the package: $file" "$([ -s "$tmp/x/usr/share/doc/cuarbiter/$file" ] && echo there)" there
done
like "$(cat "$tmp/x/usr/share/doc/cuarbiter/third-party/THIRD-PARTY.md")" \
    "*libelf*$(pkg-config --modversion libelf)*GNU C library*$(getconf GNU_LIBC_VERSION | cut -d' ' -f2)*libyaml*$(pkg-config --modversion yaml-0.1)*" \
    'in the package: which libelf, which libc, which libyaml'
# What a page points to is there.
lost() { # FOLDER
    "$tree/tests/docs/links.py" "$1"
}
that 'deb: every link leads somewhere' "$(lost "$tmp/x/usr/share/doc/cuarbiter")" ''
mkdir "$tmp/r" "$tmp/t"
rpm --nosignature --root "$tmp/r" --dbpath /db -i --nodeps --ignorearch "$rpm" >"$tmp/log" 2>&1 ||
    sed 's/^/# /' "$tmp/log"
that 'rpm: every link leads somewhere' "$(lost "$tmp/r/usr/share/doc/cuarbiter")" ''
tar -xzf "$tarball" -C "$tmp/t"
that 'archive: every link leads somewhere' "$(lost "$tmp/t/cuarbiter-$version-x86_64/doc")" ''
like "$(cat "$tmp"/t/*/doc/README.md)" '*](docs/comparison.md)*' 'README: there are links'
that 'man pages' "$(find "$tmp/x/usr/share/man" -name 'cuarbiter.*' | wc -l)" 2
# Of `code` and `driver` alone: no package has to be there for the rest.
that 'deb: what reads archives is recommended' "$(dpkg-deb -f "$deb" Recommends)" 'libarchive13t64 | libarchive13'
that 'rpm: what reads archives is recommended' "$(rpm --nosignature -qp --recommends "$rpm" 2>/dev/null)" libarchive
that 'deb: configuration is configuration' "$(dpkg-deb --ctrl-tarfile "$deb" | tar -xO ./conffiles)" /etc/cuarbiter/site/cuarbiter.conf
that 'rpm: configuration is configuration' "$(rpm --nosignature -qp --configfiles "$rpm" 2>/dev/null)" /etc/cuarbiter/site/cuarbiter.conf
for row in "$tmp/x|/usr/lib/x86_64-linux-gnu/cuarbiter" "$tmp/r|/usr/lib64/cuarbiter"; do
    at=${row%|*} folder=${row#*|}
    that "${at##*/}: the hook of hooks.d is that of the command" \
        "$(jq -c '.hook.args[4:], .stages' "$at/usr/share/cuarbiter/hooks.d/cuarbiter.json" | tr '\n' ' ')" \
        "[\"$folder/cuarbiter\",\"hook\"] [\"createContainer\"] "
    that "${at##*/}: the units are there, with this folder" "$(grep -l "$folder" "$at"/usr/lib/systemd/system/cuarbiter-* | wc -l)" 4
    that "${at##*/}: and no other" "$(grep -c /opt/cuarbiter "$at"/usr/lib/systemd/system/cuarbiter-* | cut -d: -f2 | sort -u)" 0
done
if command -v lintian >/dev/null; then
    that 'lintian: no error' "$(lintian --allow-root "$deb" 2>&1 | grep '^E:')" ''
else
    missing 'lintian: no error' 'no lintian'
fi
if command -v rpmlint >/dev/null; then
    that 'rpmlint: no error' "$(rpmlint -c "$tree/scripts/packaging/rpmlint.toml" "$rpm" 2>&1 | grep ' E: ')" ''
else
    missing 'rpmlint: no error' 'no rpmlint'
fi
that 'rpm: in lib64' "$(rpm --nosignature -qlp "$rpm" 2>/dev/null | grep '/libcuarbiter.so$')" \
    /usr/lib64/cuarbiter/libcuarbiter.so
that 'rpm: nothing in lib' "$(rpm --nosignature -qlp "$rpm" 2>/dev/null | grep '^/usr/lib/' | grep -vc ^/usr/lib/systemd)" 0

# Linked again: but for the identity of the build it is the same file.
kit=$(find "$tmp/x/usr/lib" -name cuarbiter-relink)
libelf=$(cc -print-file-name=libelf.a)
"$kit/relink.sh" "$libelf" "$tmp/relinked" >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
for file in cuarbiter-answer cuarbiter; do
    plain() { objcopy -S --remove-section=.note.gnu.build-id "$1" "$tmp/plain" && sha256sum <"$tmp/plain"; }
    that "linked again: $file" "$(plain "$tmp/relinked/$file" 2>/dev/null)" \
        "$(plain "$(find "$tmp/x/usr/lib" -name "$file" -type f)")"
done

wheel=$(echo "$tmp/out1"/*.whl)
if python3 -m venv "$tmp/venv" 2>"$tmp/log"; then
    # As README has it, where wheels of both architectures lie.
    "$tmp/venv/bin/pip" -q install --no-index --find-links "$tmp/out1" cuarbiter >"$tmp/log" 2>&1 ||
        sed 's/^/# /' "$tmp/log"
    that 'wheel: its description points to nothing that it lacks' \
        "$(cat "$tmp"/venv/lib/python*/site-packages/cuarbiter-*/METADATA | grep -o ']([^)]*)' | grep -v '](http')" ''
    that 'wheel: the command' "$("$tmp/venv/bin/cuarbiter" --version | head -n 1)" "cuarbiter $version"
    shim=$("$tmp/venv/bin/cuarbiter" path)
    like "$(LD_PRELOAD=$shim "$tmp/venv/bin/python" -c 'print(open("/proc/self/maps").read())')" \
        "*$shim*" 'wheel: LD_PRELOAD=$(cuarbiter path)'
    that 'wheel: the answerer may be executed' "$([ -x "${shim%/*}/cuarbiter-answer" ] && echo yes)" yes
    that 'wheel: as a module' "$("$tmp/venv/bin/python" -m cuarbiter path)" "$shim"
    "$tmp/venv/bin/pip" -q uninstall -y cuarbiter >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
    that 'wheel: all of it goes' "$(find "$tmp/venv" -iname '*cuarbiter*')" ''
    # From the package index, where there is one.
    if "$tmp/venv/bin/pip" -q install auditwheel >"$tmp/log" 2>&1; then
        like "$("$tmp/venv/bin/auditwheel" show "$wheel" 2>&1 | tr '\n' ' ')" \
            '*platform tag: "manylinux_2_17_x86_64"*' 'wheel: auditwheel agrees with its name'
    else
        ok 'wheel: auditwheel # SKIP pip cannot install auditwheel here'
    fi
else
    missing 'wheel' 'no python3-venv'
fi
image=$(echo "$tmp/out1"/*.oci.tar)
if command -v podman >/dev/null && need_podman && pod load -q -i "$image" >"$tmp/log" 2>&1; then
    id=$(pod images -q | head -n 1)
    mkdir "$tmp/held"
    pod save -q --format oci-dir -o "$tmp/held" "$id" >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
    printf 'FROM scratch\nCOPY --from=%s /opt/cuarbiter/ /\n' "$id" >"$tmp/Dockerfile"
    buildah --root "$tmp/pod/graph" --runroot "$tmp/pod/run" --storage-driver "$storage" bud -q \
        --isolation chroot -o "type=local,dest=$tmp/copied" -f "$tmp/Dockerfile" "$tmp/held" >"$tmp/log" 2>&1 ||
        sed 's/^/# /' "$tmp/log"
    that 'image: COPY --from' "$(cd "$tmp/copied" && echo cuarbiter* lib*)" \
        'cuarbiter cuarbiter-answer cuarbiter-entrypoint libcuarbiter.so'
    that 'image: the command runs' "$("$tmp/copied/cuarbiter" --version | head -n 1)" "cuarbiter $version"
else
    missing 'image' 'podman does not load it, or is not here'
    sed 's/^/# /' "$tmp/log"
fi

works_in() { # NAME ROOT SHIM
    that "$1: runs" "$(chroot "$2" /usr/bin/cuarbiter --version | head -n 1)" "cuarbiter $version"
    that "$1: says where the shim is" "$(chroot "$2" sh -c '[ -r "$(cuarbiter path)" ] && echo there')" there
    that "$1: enables nothing" "$(word cuInit "$(in_root "$2" 535.261.03 /app/init-dlopen)")" 803
    that "$1: works once it is wanted" "$(word cuInit "$(in_root "$2" 535.261.03 \
        /usr/bin/cuarbiter run /app/init-dlopen)")" 100
}
for suite in bullseye trixie; do
    if [ ! -e "$roots/$suite/.complete" ]; then
        missing "$suite" 'no such root file system: scripts/fetch-roots'
        continue
    fi
    need_drivers 535.261.03 555.58.02
    root=$tmp/$suite
    copy_root "$suite" "$root"
    lay_out "$root" 555.58.02 535.261.03
    mkdir "$root/app"
    cp "$programs/init-dlopen" "$root/app/"
    mkdir -p "$root/etc/cdi" "$root/etc/containers/oci/hooks.d" "$root/usr/lib/systemd/system" # others' folders
    printf 'cdiVersion: 0.5.0\nkind: nvidia.com/gpu\ndevices: []\ncontainerEdits:\n  env:\n  - A=b\n' >"$tmp/spec"
    cp "$tmp/spec" "$root/etc/cdi/nvidia.yaml"
    # Switched on by hand: a check of the hook takes a kernel's rights.
    use() {
        chroot "$root" sh -c 'cuarbiter node print >/etc/containers/oci/hooks.d/cuarbiter.json && cuarbiter cdi --merge' >"$tmp/log" 2>&1 ||
            sed 's/^/# /' "$tmp/log"
        that "$1: the hook is where engines look" "$(grep -l /cuarbiter/cuarbiter "$root/etc/cdi/nvidia.yaml" \
            "$root/etc/containers/oci/hooks.d/cuarbiter.json" | wc -l)" 2
    }
    gone() {
        that "$1: nothing of it is left where engines look" "$(ls "$root/etc/containers/oci/hooks.d"; diff "$tmp/spec" "$root/etc/cdi/nvidia.yaml")" ''
    }
    (cd "$root" && find usr etc opt | sort) >"$tmp/before"
    left() { (cd "$root" && find usr etc opt | sort) | diff "$tmp/before" - | head -n 5; }
    cp "$deb" "$root/package.deb"
    chroot "$root" dpkg -i /package.deb >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
    works_in "$suite, deb" "$root"
    use "$suite, deb"
    chroot "$root" dpkg -i /package.deb >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
    that "$suite, deb: an upgrade leaves it on" "$(ls "$root/etc/containers/oci/hooks.d")" cuarbiter.json
    chroot "$root" dpkg -r cuarbiter >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
    gone "$suite, deb"
    chroot "$root" dpkg -P cuarbiter >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
    that "$suite, deb: all of it goes" "$(left)" ''

    rpm --nosignature --root "$root" --dbpath /var/lib/rpm-test -i --nodeps --ignorearch "$rpm" \
        >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
    works_in "$suite, rpm" "$root"
    use "$suite, rpm"
    rpm --root "$root" --dbpath /var/lib/rpm-test -e cuarbiter >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
    gone "$suite, rpm"
    that "$suite, rpm: all of it goes" "$(left)" ''

    mkdir -p "$root/any/folder" "$root/usr/bin"
    tar -xzf "$tarball" -C "$root/any/folder"
    ln -s "/any/folder/cuarbiter-$version-x86_64/cuarbiter" "$root/usr/bin/cuarbiter"
    works_in "$suite, archive" "$root"
done

if "$tree/scripts/fetch-aarch64" >/dev/null 2>&1 && command -v aarch64-linux-gnu-gcc >/dev/null; then
    pack "$one" "$tmp/out-arm" aarch64 >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
    mkdir "$tmp/arm"
    dpkg-deb -x "$tmp/out-arm/cuarbiter_${version}_arm64.deb" "$tmp/arm"
    that 'aarch64: deb' "$(dpkg-deb -f "$tmp/out-arm/cuarbiter_${version}_arm64.deb" Architecture)" arm64
    that 'aarch64: rpm' "$(rpm --nosignature -qp --qf '%{ARCH}' \
        "$tmp/out-arm/cuarbiter-$version-1.aarch64.rpm" 2>/dev/null)" aarch64
    that 'aarch64: archive' "$(tar -tzf "$tmp/out-arm/cuarbiter-$version-aarch64.tar.gz" | grep -cE '/(libcuarbiter.so|cuarbiter-answer)$')" 2
    for file in libcuarbiter.so cuarbiter-answer cuarbiter; do
        like "$(readelf -h "$tmp/arm/usr/lib/aarch64-linux-gnu/cuarbiter/$file")" '*AArch64*' "aarch64: $file"
    done
    qemu=$(command -v qemu-aarch64-static) &&
        that 'aarch64: runs' "$("$qemu" -L "$("$tree/scripts/fetch-aarch64")" \
            "$tmp/arm/usr/lib/aarch64-linux-gnu/cuarbiter/cuarbiter" --version | head -n 1)" "cuarbiter $version"
else
    missing 'aarch64' 'no cross compiler here'
fi
finish
