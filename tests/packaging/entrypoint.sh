#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter-entrypoint: what it makes of LD_PRELOAD, and that nothing else changes; in images with
# glibc and no shell, with musl, with nothing at all.
# shellcheck disable=SC1091,SC2016,SC2154
set -u
. "$(dirname "$0")/../fixtures/images.sh"
library=$built/empty.so
entry=$tmp/bin/cuarbiter-entrypoint
shim=$tmp/bin/libcuarbiter.so
other=$tmp/other.so
mkdir "$tmp/bin"
cp "$build/scripts/entrypoint/cuarbiter-entrypoint" "$tmp/bin/"
cp "$library" "$other"
unset LD_PRELOAD

preload() { # the LD_PRELOAD that a program gets
    "$@" env 2>&1 | sed -n 's/^LD_PRELOAD=//p'
}
patch_byte() { # FILE OFFSET OCTAL
    # shellcheck disable=SC2059
    printf "\\$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
fresh_shim() {
    rm -rf "$shim"
    cp "$library" "$shim"
}

fresh_shim
that 'it needs nothing' "$(readelf -dlW "$entry" | grep -c 'NEEDED\|INTERP') $(readelf -rW "$entry" | grep -c R_)" '0 0'
that 'the shim is added' "$(preload "$entry")" "$shim"
that 'what is there stays, before it' "$(LD_PRELOAD=$other preload "$entry")" "$other:$shim"
that 'a list parted by spaces stays' "$(LD_PRELOAD="$other $other" preload "$entry")" "$other $other:$shim"
that 'no empty entry comes in' "$(LD_PRELOAD=$other: preload "$entry")" "$other:$shim"
for list in "$shim:$other" "$other:$shim" "$other $shim"; do
    that "not twice: ${list%% *}" "$(LD_PRELOAD=$list preload "$entry")" "$list"
done
that 'nor twice by itself' "$(preload "$entry" "$entry")" "$shim"
that 'one of a longer name is another' "$(LD_PRELOAD=$shim.1 preload "$entry" 2>/dev/null | grep -v ERROR)" "$shim.1:$shim"
that 'arguments arrive as they were' \
    "$("$entry" printf '<%s>' 'a b' '' '*' "it's" '$x')" "<a b><><*><it's><\$x>"
"$entry" sh -c 'exit 42'
that "the program's exit code" $? 42
that "the program takes its place" "$(sh -c 'echo $$; exec "$@"' x "$entry" sh -c 'echo $$' | uniq | wc -l)" 1
# A shell would lose some of these.
that 'every variable stays, in its place' "$(env -i PATH="$PATH" a.b=1 'c d=2' A='x
y' LD_PRELOAD= Z=3 "$entry" env -0 | tr '\0' '|')" "PATH=$PATH|a.b=1|c d=2|A=x
y|LD_PRELOAD=$shim|Z=3|"
that 'so do descriptors' "$("$entry" sh -c 'ls /proc/self/fd' 7</dev/null | tr '\n' ' ')" \
    "$(sh -c 'ls /proc/self/fd' 7</dev/null | tr '\n' ' ')"
that 'the name of the program is the command' "$("$entry" sh -c 'tr "\0" " " </proc/$$/cmdline' | cut -c 1-5)" 'sh -c'

"$entry" >/dev/null 2>&1
that 'no command: 125' $? 125
said=$("$entry" no-such-program 2>&1)
that 'not found: 127' "$? $said" '127 cuarbiter: entrypoint: no-such-program: not found'
"$entry" "$tmp" 2>/dev/null
that 'a folder: 126' $? 126
mkdir "$tmp/first" "$tmp/second" "$tmp/first/prog"
printf '#!/bin/sh\necho "$0 $LD_PRELOAD"\n' >"$tmp/second/prog"
that 'a folder and a file that cannot be executed are passed over in PATH' "$(PATH=$tmp/first:/nowhere:$tmp/second "$entry" prog 2>&1)" \
    'cuarbiter: entrypoint: prog: not found'
chmod +x "$tmp/second/prog"
printf '#!/nowhere/sh\n' >"$tmp/second/lost" && chmod +x "$tmp/second/lost"
said=$(PATH=$tmp/second "$entry" lost 2>&1)
that 'a script without its interpreter: 127, and why' "$? $said" '127 cuarbiter: entrypoint: lost: its interpreter or loader is not found'
that 'a script' "$(PATH=$tmp/first:/nowhere:$tmp/second "$entry" prog 2>&1)" "$tmp/second/prog $shim"
that 'no PATH at all' "$(env -i "$entry" env)" "LD_PRELOAD=$shim"
that 'the working folder is in PATH' "$(cd "$tmp/second" && PATH=:/bin "$entry" prog)" "./prog $shim"

unfit() { # NAME
    that "$1: nothing is set" "$(preload "$entry")" ''
    that "$1: what is there stays" "$(LD_PRELOAD=$other preload "$entry")" "$other"
}
rm "$shim"
unfit 'missing'
mkdir "$shim"
unfit 'a folder of that name'
rmdir "$shim"
: >"$shim"
unfit 'empty'
fresh_shim
patch_byte "$shim" 18 125
unfit 'another machine'
fresh_shim
patch_byte "$shim" 4 1
unfit 'another class'
head -c 64 "$library" >"$shim"
unfit 'cut off behind a right header'
sed 's/GLIBC_2/GLIBC_9/g' "$build/shim/libcuarbiter.so" >"$shim"
unfit 'a glibc that is too old for it'
fresh_shim
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups true 2>/dev/null; then
    chmod 755 "$tmp"
    that 'not root: the shim is added' "$(preload setpriv --reuid 65534 --clear-groups "$entry")" "$shim"
    chmod 600 "$shim"
    that 'unreadable: nothing is set' "$(preload setpriv --reuid 65534 --clear-groups "$entry")" ''
else
    missing 'unreadable: nothing is set' 'needs root to become somebody else'
fi
fresh_shim
for folder in 'a b' a:b 'a$b'; do
    mkdir "$tmp/$folder"
    cp "$entry" "$shim" "$tmp/$folder"
    that "a path that LD_PRELOAD cannot express, $folder: nothing is set" "$(preload "$tmp/$folder/cuarbiter-entrypoint")" ''
done

# ld.so maps nothing from a file system mounted noexec, and would say so each time.
if unshare -m true 2>/dev/null; then
    mkdir "$tmp/noexec"
    that 'mounted noexec: nothing is set' "$(unshare -m sh -c '
        mount -t tmpfs -o noexec none "$1" && cp "$2" "$1" && mount --bind "$1/libcuarbiter.so" "$2" &&
        exec "$3" env 2>&1' x "$tmp/noexec" "$shim" "$entry" | sed -n 's/^LD_PRELOAD=//p')" ''
else
    missing 'mounted noexec: nothing is set' 'no new mount namespace here'
fi

# Images, by chroot: without a shell, and without /proc.
if ! chroot / true 2>/dev/null; then
    missing 'images' 'no chroot here'
    finish
fi
root=$tmp/root
mkdir -p "$root/opt/cuarbiter" "$root/lib64" "$root/lib" "$root/bin"
cp "$build/shim/libcuarbiter.so" "$entry" "$root/opt/cuarbiter/"
change=$(command -v chroot)
inside() { env -i PATH=/bin "$change" "$root" "$@"; }
at=/opt/cuarbiter/cuarbiter-entrypoint set=LD_PRELOAD=/opt/cuarbiter/libcuarbiter.so
# A program that prints its environment, static.
printf '#include <stdio.h>\nextern char **environ;\nint main(void) { for (char **e = environ; *e; e++) puts(*e); }\n' >"$tmp/show.c"
if ! cc -static -o "$root/bin/show" "$tmp/show.c" 2>/dev/null; then
    missing 'images' 'cc makes no static program here'
    finish
fi
that 'an empty image, a static program: nothing is set' "$(inside $at show)" PATH=/bin
loader=$(readelf -lW "$(command -v env)" | sed -n 's/.*interpreter: \(.*\)].*/\1/p')
cp -L "$loader" "$root$loader"
mkdir -p "$root$(dirname "$(ldconfig -p | sed -n 's/.*libc.so.6 (libc6,.*64.*) => //p' | head -n 1)")"
libc=$(ldconfig -p | sed -n 's/.*libc.so.6 (libc6,.*64.*) => //p' | head -n 1)
cp -L "$libc" "$root$libc"
cc -o "$root/bin/linked" "$tmp/show.c"
that 'glibc and no shell, as distroless: the shim is added' "$(inside $at linked)" "PATH=/bin
$set"
that 'glibc and no shell, a static program: it may start others' "$(inside $at show)" "PATH=/bin
$set"
that 'glibc and no shell: bare and with the shim a program says the same' \
    "$(inside $at linked 2>&1 | grep -v LD_PRELOAD)" "$(inside /bin/linked 2>&1)"
rm "$root/opt/cuarbiter/libcuarbiter.so"
that 'glibc and no shell, no shim: nothing is set' "$(inside $at linked)" PATH=/bin
cp "$build/shim/libcuarbiter.so" "$root/opt/cuarbiter/"
if command -v musl-gcc >/dev/null; then
    musl-gcc -o "$root/bin/musl" "$tmp/show.c"
    musl=$(readelf -lW "$root/bin/musl" | sed -n 's/.*interpreter: \(.*\)].*/\1/p')
    cp -L "$musl" "$root$musl"
    that 'a musl program: nothing is set' "$(inside $at musl)" PATH=/bin
    that 'an image with musl, a static program: nothing is set' "$(inside $at show)" PATH=/bin
    that 'an image with musl and glibc, a glibc program: the shim is added' "$(inside $at linked)" "PATH=/bin
$set"
    cp "$root/bin/linked" "$root/bin/sh"
    that 'an image with musl and glibc, a static program, a shell of glibc: the shim is added' "$(inside $at show)" "PATH=/bin
$set"
    cp "$root/bin/musl" "$root/bin/sh"
    that 'an image with musl and glibc, a static program, a shell of musl: nothing is set' "$(inside $at show)" PATH=/bin
    rm -r "${root:?}$loader" "$root$libc"
    that 'musl alone: nothing is set' "$(inside $at musl)" PATH=/bin
else
    missing 'musl: nothing is set' 'no musl-gcc'
fi
finish
