#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Network, mirror, disk and dpkg fail under the scripts that fetch and install: each prints within 30
# seconds what went wrong and what to do, leaves nothing half-made in the cache, and a second run goes on.
# In namespaces of their own, on a tmpfs of a few MB.
# Others may write to /tmp, and so no driver is fetched into a folder there.
[ "$(id -u)" != 0 ] || export TMPDIR=/var/cache
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

need_tool python3 unshare dpkg-deb apt-get
[ "$(id -u)" = 0 ] || cannot 'not root'
unshare -mn true 2>/dev/null || cannot 'no mount and network namespaces here'
here=$tree/tests/demo
unset CUARBITER_MIRROR CUARBITER_APT_ETC

# within30 COMMAND...: its output and seconds
within30() {
    started=$(date +%s)
    out=$(CUARBITER_CACHE=$tmp/cache timeout 60 "$@" 2>&1)
    status=$?
    took=$(($(date +%s) - started))
}

# explains NAME PATTERN...: the last command failed in time, and its output has each
explains() {
    name=$1
    shift
    is "$((status != 0)) $((took <= 30))" '1 1' "$name: fails within 30 seconds"
    for pattern; do
        like "$out" "*$pattern*" "$name: $pattern"
    done
}

fetch="$tree/scripts/fetch-drivers 535.261.03 555.58.02"
advice='another Debian mirror in CUARBITER_MIRROR'
# shellcheck disable=SC2086
{
    within30 env CUARBITER_MIRROR=http://192.0.2.1/debian unshare -n $fetch
    explains 'no network' 'Network is unreachable' "$advice" 'could not be fetched, for the reason above: drivers/535.261.03 drivers/555.58.02'
    is "$(echo "$out" | wc -l)" 3 'no network: three lines, not one for each package'
    within30 env CUARBITER_MIRROR=http://name:word@127.0.0.1:8080/debian unshare -n \
        "$here/mirror.py" hang $fetch
    explains 'a mirror that hangs' 'no answer within 15 seconds' "$advice"
    like "$(echo "$out" | grep -c 'name:word')" 0 'a mirror that hangs: no password in the line'
    within30 env CUARBITER_MIRROR=http://127.0.0.1:8080/debian unshare -n "$here/mirror.py" missing $fetch
    explains 'a mirror without Debian' '404' "$advice"
}
within30 env CUARBITER_MIRROR=http://127.0.0.1:8080/debian unshare -n "$here/mirror.py" missing \
    "$tree/scripts/fetch-roots" bullseye
explains 'no mirror for a root' '404' "$advice" 'could not be fetched, for the reason above: roots/bullseye'

# A cache that nothing can be fetched to, or used from: one line, before anything is fetched or built.
mkdir -m 1777 "$tmp/open"
: >"$tmp/file"
# cached CACHE COMMAND...: its output and status
cached() {
    cache=$1
    shift
    out=$(cd "$tmp" && CUARBITER_MUST_RUN='' CUARBITER_CACHE=$cache timeout 60 unshare -n "$@" 2>&1)
    status=$?
}
why="others may write to $tmp/open, and cuarbiter takes no driver from such a folder: \
name one that only root may write to in CUARBITER_CACHE"
cached "$tmp/open/x" "$tree/scripts/demo" --quick
is "$status $out" "77 demo: $tmp/open/x: $why" 'demo, where others may write to a folder above the cache'
cached "$tmp/open/x" "$tree/scripts/fetch-drivers"
is "$status $out" "1 fetch-drivers: $tmp/open/x: $why" 'fetch-drivers the same'
is "$(ls "$tmp/open")" '' 'and nothing is made there'
install -d -o 1 "$tmp/theirs"
cached "$tmp/theirs" "$tree/scripts/fetch-drivers"
like "$out" "fetch-drivers: *: $tmp/theirs belongs to another user, and *" 'a folder of another user'
cached file "$tree/scripts/fetch-drivers"
is "$status $out" "1 fetch-drivers: $tmp/file: is not a folder" 'a plain file; a relative name is made absolute'
cached file/x "$tree/scripts/fetch-drivers" 555.58.02
is "$status $out" "1 fetch-drivers: cannot write to $tmp/file/x: Not a directory
fetch-drivers: could not be fetched, for the reason above: drivers/555.58.02" 'below a plain file'
mkdir "$tmp/read-only"
# shellcheck disable=SC2016
cached "$tmp/read-only" unshare -m sh -c 'mount -t tmpfs -o ro,mode=755 disk "$CUARBITER_CACHE" && "$@"' sh \
    "$tree/scripts/fetch-drivers" 535.261.03 555.58.02
is "$status $out" "1 fetch-drivers: cannot write to $tmp/read-only: Read-only file system
fetch-drivers: could not be fetched, for the reason above: drivers/535.261.03 drivers/555.58.02 video/535.261.03" 'a read-only file system'
cached "$tmp/x" "$tree/scripts/fetch-drivers" --list 555.58.02
is "$status $out" '1 fetch-drivers: not in the cache: drivers/555.58.02' 'fetch-drivers --list: nothing was tried'
cached "$tmp/x" "$tree/scripts/fetch-roots" --list bullseye
is "$status $out" '1 fetch-roots: not in the cache: roots/bullseye' 'fetch-roots --list: nothing was tried'
chmod 755 "$tmp" && install -d -o 65534 "$tmp/nobody"
cached "$tmp/x" setpriv --reuid 65534 --clear-groups "$tree/scripts/layer" "$tmp/nobody/layer" strace
like "$status $out" '1 layer: strace: unshare: *' 'layer without root: why'
cached "$tmp/x" "$tree/scripts/demo" --build
is "$status $out" '2 demo: --build: the folder is missing; see --help' 'demo --build without a value'
cached "$tmp/x" "$tree/scripts/demo" --build "$tmp/nowhere"
is "$status $out" "2 demo: --build: $tmp/nowhere is not a folder" 'and with a folder that is not there'

# Where the mirror is found: each form of apt's sources.
mkdir -p "$tmp/etc/sources.list.d"
found() { CUARBITER_APT_ETC=$tmp/etc "$tree/scripts/find-mirror" 2>&1; }
like "$(found)" '*name one in CUARBITER_MIRROR' 'apt has no mirror'
echo 'deb [trusted=yes] http://one.example/pub bookworm main' >"$tmp/etc/sources.list"
is "$(found)" http://one.example/pub 'one-line form, whatever the address ends in'
cat >"$tmp/etc/sources.list" <<SOURCES
deb http://security.example/debian-security bookworm-security main
deb http://ubuntu.example/ubuntu noble main
SOURCES
printf 'http://two.example/debian\tpriority:1\nhttp://three.example/debian\n' >"$tmp/mirrors"
cat >"$tmp/etc/sources.list.d/debian.sources" <<SOURCES
Types: deb
URIs: mirror+file://$tmp/mirrors
Suites: bookworm bookworm-updates
Components: main
SOURCES
is "$(found)" http://two.example/debian 'deb822 and mirror+file; no other distribution, no security archive'

# A mirror on this disk; apt is a stub, and its packages hold 3 MB.
mkdir -p "$tmp/bin" "$tmp/debs" "$tmp/mirror/dists/stable"
: >"$tmp/mirror/dists/stable/Release"
package() { # NAME FILE KIB
    rm -rf "$tmp/package"
    mkdir -p "$tmp/package/DEBIAN" "$tmp/package/usr/lib"
    printf 'Package: %s\nVersion: 1\nArchitecture: amd64\nMaintainer: nobody\nDescription: test\n' "$1" \
        >"$tmp/package/DEBIAN/control"
    head -c "$3k" /dev/urandom >"$tmp/package/usr/lib/$2"
    dpkg-deb -b "$tmp/package" "$tmp/debs/$1.deb" >/dev/null
}
version=450.248.02 prefix=libnvidia-tesla-450-
package ${prefix}cuda1 libcuda.so.$version 3000
package ${prefix}ptxjitcompiler1 libnvidia-ptxjitcompiler.so.$version 100
package ${prefix}ml1 libnvidia-ml.so.$version 100
package nvidia-tesla-450-smi nvidia-smi 10
cat >"$tmp/bin/apt-get" <<'STUB'
#!/bin/sh
for last; do :; done
case "$*" in
*--print-uris*)
    for package; do
        case $package in */*) echo "'http://x' x.deb ${STUB_BYTES:-0} SHA256:0" ;; esac
    done
    ;;
*download*) cp "$STUB_DEBS/${last%/*}.deb" . || exit 100 ;;
esac
STUB
printf '#!/bin/sh\necho "Installed-Size: ${STUB_KIB:-0}"\n' >"$tmp/bin/apt-cache"
chmod +x "$tmp/bin"/*
export STUB_DEBS="$tmp/debs"

# on_disk MB SCRIPT: in a namespace where the cache is a tmpfs of that size
mkdir -p "$tmp/cache"
cat >"$tmp/disk.sh" <<'DISK'
mount -t tmpfs -o "size=$1m,mode=755" disk "$2/cache" || exit 99
export CUARBITER_CACHE="$2/cache" CUARBITER_MIRROR="file:$2/mirror" PATH="$2/bin:$PATH"
libcuda=$CUARBITER_CACHE/drivers/450.248.02/libcuda.so.450.248.02
fetch() { "$tree/scripts/fetch-drivers" 450.248.02 2>&1; }
size() { stat -c %s "$libcuda" 2>/dev/null || echo none; }
left() { find "$CUARBITER_CACHE" -mindepth 1 | wc -l; }
DISK
on_disk() { # MB SCRIPT
    out=$(tree=$tree timeout 60 unshare -m sh -c ". '$tmp/disk.sh'; $2" sh "$1" "$tmp" 2>&1)
    status=$?
}
on_disk 2 'STUB_BYTES=800000 STUB_KIB=3300 fetch; echo "left $(left)"'
like "$out" '*450.248.02: needs 17 MB in *, which has 2 MB: make room, or name another folder in CUARBITER_CACHE*' \
    'too small a disk is seen before it is used'
like "$out" '*left 0' 'and nothing is left on it'
# Sizes that nobody knew.
on_disk 5 'fetch; echo "then $(size)"; mount -o remount,size=40m "$CUARBITER_CACHE"; fetch; echo "now $(size)"'
like "$out" '*drivers/450.248.02: *No space left*then none*' 'a disk that fills up: the line, and no driver'
like "$out" '*have *now 3072000' 'with room a second run goes on'
on_disk 80 'STUB_BYTES=800000; export STUB_BYTES; "$tree/scripts/fetch-drivers" 450.248.02 460.106.00 2>&1'
like "$out" "fetch-drivers: 2 folders, * MB in all to fetch
*drivers/450.248.02: * MB to fetch
*" 'the sum comes before the first of several'
on_disk 40 'fetch; : >"$libcuda"; : >"${libcuda%/*}/.complete"; fetch; size'
like "$out" '*3072000' 'an empty file in a folder that an earlier version called complete is fetched anew'
on_disk 40 'fetch; truncate -s 1M "$libcuda"; fetch; size'
like "$out" '*3072000' 'so is one that is cut short'
on_disk 40 'fetch >/dev/null; unset STUB_DEBS; fetch'
like "$out" 'have *450.248.02' 'what is whole is not fetched again'

# dpkg was interrupted, and a package is missing: apt says so, and deps passes it on.
printf '#!/bin/sh\ncase $* in *" gcc") echo not-installed ;; *) exec /usr/bin/dpkg-query "$@" ;; esac\n' \
    >"$tmp/bin/dpkg-query"
chmod +x "$tmp/bin/dpkg-query"
rm "$tmp/bin/apt-get" "$tmp/bin/apt-cache"
cat >"$tmp/dpkg.sh" <<'DPKG'
for folder in /var/lib/dpkg/updates /var/lib/apt/lists /var/cache/apt; do
    mount -t tmpfs -o size=64m test $folder || exit 99
done
mkdir -p /var/cache/apt/archives/partial /var/lib/apt/lists/partial
: >/var/lib/dpkg/updates/0001
PATH=$1/bin:$PATH exec "$2/scripts/deps" build
DPKG
within30 unshare -mn sh "$tmp/dpkg.sh" "$tmp" "$tree"
explains 'dpkg interrupted, no network' 'deps: E: dpkg was interrupted' 'deps: apt-get update failed' \
    'needed for building, and not installed: gcc'

# The demo's build on a full disk, with meson and ninja as stubs: meson's files take 40 MB.
mkdir -p "$tmp/small/scripts" "$tmp/room"
cp "$tree/scripts/demo" "$tree/scripts/cache-folder" "$tmp/small/scripts/"
printf '#!/bin/sh\nexit 0\n' >"$tmp/small/scripts/deps"
printf '#!/bin/sh\nmkdir -p "$2" && : >"$2/build.ninja" && head -c 40M /dev/zero >"$2/files"\n' >"$tmp/bin/meson"
printf '#!/bin/sh\n[ "$(stat -c %%s "$2/files")" != 41943040 ] || echo a whole build\nexit 1\n' >"$tmp/bin/ninja"
printf '#!/bin/sh\n:\n' >"$tmp/bin/gcc"
chmod +x "$tmp/small/scripts"/* "$tmp/bin"/*
cat >"$tmp/small.sh" <<'SMALL'
mount -t tmpfs -o "size=$1m" disk "$2/room" && cp -r "$2/small/scripts" "$2/room/" || exit 99
PATH=$2/bin:$PATH
"$2/room/scripts/demo" --quick || [ "$1" = 30 ] || exit
mount -o remount,size=80m "$2/room" && "$2/room/scripts/demo" --quick
SMALL
within30 unshare -m sh "$tmp/small.sh" 10 "$tmp"
explains 'no room for the build' 'demo: the build needs 20 MB in *room, which has *: make room and run the demo again'
within30 unshare -m sh "$tmp/small.sh" 30 "$tmp"
explains 'a disk that fills up under the build' 'Building*demo: the build needs 20 MB in *room, which has *a whole build'
within30 env TMPDIR="$tmp/room" unshare -m sh -c 'mount -t tmpfs -o size=1m disk "$1" && "$2/scripts/demo" --quick' \
    sh "$tmp/room" "$tmp/small"
explains 'no room for what is temporary' "demo: the demo needs 15 MB in $tmp/room, which has"
rm "$tmp/bin/meson" "$tmp/bin/ninja" "$tmp/bin/gcc"

# The demo.
need_drivers 535.261.03 555.58.02
within30 setpriv --inh-caps -sys_admin --bounding-set -sys_admin env CUARBITER_CACHE="$cua_cache" \
    "$tree/scripts/demo" --quick --build "$build"
like "$out" '*Not shown: *no mount namespace here (*Operation not permitted*' 'demo without mount namespaces explains'
is "$(echo "$out" | awk 'length > 80' | wc -l)" 0 'it fits 80 columns'

# A shim that does nothing: every answer is wrong.
mkdir -p "$tmp/idle/shim" "$tmp/idle/tests"
ln -s "$build/probe" "$tmp/idle/probe"
ln -s "$fixtures" "$tmp/idle/tests/fixtures"
cp "$fixtures/libstandin.so" "$tmp/idle/shim/libcuarbiter.so"
within30 env CUARBITER_CACHE="$cua_cache" "$tree/scripts/demo" --quick --here --build "$tmp/idle"
like "$status $out" "1 *803>803!*(marked !)*open an issue with this output*: $tmp/idle/probe/cuarbiter report" \
    'what is marked: what to do with it'
finish
