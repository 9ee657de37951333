#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/cuarbiter-entrypoint under every shell of this machine.
# shellcheck disable=SC1091,SC2016,SC2030,SC2031,SC2086,SC2154,SC2209
set -u
. "$(dirname "$0")/../fixtures/images.sh"
library=$built/empty.so
script=$tmp/bin/cuarbiter-entrypoint
shim=$tmp/bin/libcuarbiter.so
other=$tmp/other.so
mkdir "$tmp/bin"
cp "$tree/scripts/cuarbiter-entrypoint" "$tmp/bin/"
cp "$library" "$other"
unset LD_PRELOAD

preload() { # the LD_PRELOAD that a program gets
    # shellcheck disable=SC2086
    $sh "$script" env | sed -n 's/^LD_PRELOAD=//p'
}
patch_byte() { # FILE OFFSET OCTAL
    # shellcheck disable=SC2059
    printf "\\$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
fresh_shim() {
    rm -rf "$shim"
    cp "$library" "$shim"
}

for sh in dash bash 'busybox sh'; do
    if ! command -v "${sh% *}" >/dev/null; then
        missing "$sh" "no ${sh% *} here"
        continue
    fi
    fresh_shim
    that "$sh: the shim is added" "$(preload)" "$shim"
    that "$sh: what is there stays, before it" "$(LD_PRELOAD=$other preload)" "$other:$shim"
    that "$sh: a list parted by spaces stays" \
        "$(LD_PRELOAD="$other $other" preload)" "$other $other:$shim"
    that "$sh: no empty entry comes in" "$(LD_PRELOAD=$other: preload)" "$other:$shim"
    that "$sh: not twice" "$(LD_PRELOAD=$shim:$other preload)" "$shim:$other"

    # shellcheck disable=SC2086
    that "$sh: arguments arrive as they were" \
        "$($sh "$script" printf '<%s>' 'a b' '' '*' "it's" '$x')" "<a b><><*><it's><\$x>"
    # shellcheck disable=SC2086
    $sh "$script" sh -c 'exit 42'
    that "$sh: the program's exit code" $? 42
    # shellcheck disable=SC2086
    that "$sh: the program takes the script's place" \
        "$($sh -c 'echo $$; exec "$@"' x $sh "$script" sh -c 'echo $$' | uniq | wc -l)" 1
    # shellcheck disable=SC2086
    that "$sh: variables with the script's own names stay" \
        "$(kind=1 shim=2 old=3 here=4 folder=5 $sh "$script" \
            sh -c 'echo "$kind $shim $old $here $folder"')" '1 2 3 4 5'
    # shellcheck disable=SC2086
    $sh "$script" >/dev/null 2>&1
    that "$sh: no command: 125" $? 125

    rm "$shim"
    that "$sh: missing: nothing is set" "$(preload 2>&1)" ''
    that "$sh: missing: what is there stays" "$(LD_PRELOAD=$other preload 2>&1)" "$other"
    mkdir "$shim"
    that "$sh: a folder of that name: nothing is set" "$(preload 2>&1)" ''
    rmdir "$shim"
    : >"$shim"
    that "$sh: empty: nothing is set" "$(preload 2>&1)" ''
    fresh_shim
    patch_byte "$shim" 18 125
    that "$sh: another machine: nothing is set" "$(preload 2>&1)" ''
    fresh_shim
    patch_byte "$shim" 4 1
    that "$sh: another class: nothing is set" "$(preload 2>&1)" ''
    head -c 64 "$library" >"$shim"
    that "$sh: cut off behind a right header: nothing is set" "$(preload 2>&1)" ''
    fresh_shim
    if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups true 2>/dev/null; then
        chmod 755 "$tmp"
        that "$sh: not root: the shim is added" "$(
            sh="setpriv --reuid 65534 --clear-groups $sh" && preload)" "$shim"
        chmod 600 "$shim"
        that "$sh: unreadable: nothing is set" "$(
            sh="setpriv --reuid 65534 --clear-groups $sh" && preload 2>&1)" ''
    else
        missing "$sh: unreadable: nothing is set" 'needs root to become somebody else'
    fi
done

sh=sh
fresh_shim
mkdir "$tmp/a b"
cp "$script" "$shim" "$tmp/a b"
script="$tmp/a b/cuarbiter-entrypoint"
that "a path that LD_PRELOAD cannot say: nothing is set" "$(preload 2>&1)" ''
script=$tmp/bin/cuarbiter-entrypoint

# Images without glibc: a root of a static busybox, with and without a loader at its place.
root=$tmp/root
box=$(command -v busybox) || box=
if unshare -m true 2>/dev/null && [ -n "$box" ] && ! ldd "$box" >/dev/null 2>&1; then
    mkdir -p "$root/bin" "$root/dev" "$root/lib" "$root/lib64" "$root/opt/cuarbiter"
    : >"$root/dev/null"
    cp "$box" "$root/bin/busybox"
    for name in sh dd od tr env sed; do ln -s busybox "$root/bin/$name"; done
    cp "$script" "$root/bin/"
    cp "$library" "$root/opt/cuarbiter/libcuarbiter.so"
    # shellcheck disable=SC2016
    inside() {
        unshare -m sh -c 'mount --bind /dev/null "$1/dev/null" && exec chroot "$1" "$2" env' sh \
            "$root" /bin/cuarbiter-entrypoint 2>&1 | sed -n 's/^LD_PRELOAD=//p'
    }
    that 'no C library at all: nothing is set' "$(inside)" ''
    : >"$root/lib64/ld-linux-x86-64.so.2"
    : >"$root/lib/ld-linux-aarch64.so.1"
    that 'a static shell beside glibc: the shim of /opt/cuarbiter is added' \
        "$(inside)" /opt/cuarbiter/libcuarbiter.so
    : >"$root/lib/ld-musl-$(uname -m).so.1"
    that 'musl: nothing is set' "$(inside)" ''
else
    missing 'musl: nothing is set' 'needs a mount namespace and a static busybox'
fi

# ld.so maps nothing from a file system mounted noexec, and would say so each time.
if unshare -m true 2>/dev/null; then
    mkdir "$tmp/noexec"
    # shellcheck disable=SC2016
    that 'mounted noexec: nothing is set' "$(unshare -m sh -c '
        mount -t tmpfs -o noexec none "$1" && cp "$2" "$3" "$1" &&
        sh "$1/cuarbiter-entrypoint" env 2>&1' x "$tmp/noexec" "$script" "$shim" |
        sed -n 's/^LD_PRELOAD=//p')" ''
else
    missing 'mounted noexec: nothing is set' 'no new mount namespace here'
fi

finish
