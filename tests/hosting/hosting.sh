#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the shim does in a process is nothing that the program could fall over: each program says
# the same bare and under the shim. On fake drivers.
# shellcheck source=tests/fixtures/private.sh
. "$(dirname "$0")/../fixtures/private.sh"

known_machine "$tmp/machine"
export STANDIN_ROOT="$tmp/machine" FAKE_ROOT="$tmp/machine" XDG_RUNTIME_DIR="$tmp/run"
LD_LIBRARY_PATH="$tmp/machine/usr/local/cuda/compat:$(echo "$tmp/machine/usr/lib/"*-linux-gnu)"
export LD_LIBRARY_PATH

both() { # WANTED NAME COMMAND...
    wanted=$1 name=$2
    shift 2
    is "$(standin 535.161.07 -- timeout 20 "$@" 2>&1 || echo "status $?")" "$wanted" "$name, bare"
    # shellcheck disable=SC2030,SC2031
    is "$(
        preload=$tmp/home/libcuarbiter.so
        standin 535.161.07 -- timeout 20 "$@" 2>&1 || echo "status $?"
    )" "$wanted" "$name, shimmed"
}

# The shim's own line: there is no answerer to write it.
mv "$tmp/home/cuarbiter-answer" "$tmp/answerer"
both 'opened, alive' 'no answerer, and a standard error without a reader' "$built/dead-stderr" closed
both 'opened, alive' 'no answerer, and a standard error that is full' "$built/dead-stderr" full
for what in database kept counter peer; do
    both 'opened, nothing' "no answerer, and descriptor 2 is a $what of the program's" \
        "$built/reused-stderr" $what
done
for what in socket terminal; do
    is "$(preload=$tmp/home/libcuarbiter.so && standin 535.161.07 -- "$built/reused-stderr" $what)" \
        'opened, a line' "no answerer, and a standard error that is a $what"
done
mv "$tmp/answerer" "$tmp/home/cuarbiter-answer"
# A line for each run.
export CUARBITER_LOG=info
both 'opened, alive' 'a standard error without a reader' "$built/dead-stderr" closed
both 'opened, alive' 'a standard error that is full' "$built/dead-stderr" full
CUARBITER_POLICY=nonsense
export CUARBITER_POLICY
both 'opened, alive' 'a warning to a standard error without a reader' "$built/dead-stderr" closed
both 'opened, alive' 'a warning to a standard error that is full' "$built/dead-stderr" full
for what in database kept counter peer; do
    both 'opened, nothing' "descriptor 2 is a $what of the program's" "$built/reused-stderr" $what
done
for what in socket terminal; do
    # shellcheck disable=SC2031
    is "$(preload=$tmp/home/libcuarbiter.so && standin 535.161.07 -- "$built/reused-stderr" $what)" \
        'opened, a line' "a standard error that is a $what"
done
# The file may get the number that a closed standard error left.
# shellcheck disable=SC2031
like "$(
    export CUARBITER_LOG_FILE="$tmp/log"
    unset CUARBITER_POLICY
    preload=$tmp/home/libcuarbiter.so
    standin 535.161.07 -- "$built/small-stack" libcuda.so.1 2>&- && cat "$tmp/log"
)" 'opened*: redirect: *' 'a log file where standard error is closed'
unset CUARBITER_POLICY CUARBITER_LOG
both opened 'a cancelled thread opens libcuda' "$built/cancelled" libcuda.so.1
both opened 'a cancelled thread opens a library' "$built/cancelled" "$built/libplain.so"
# Without the stand-in, whose openat is no cancellation point.
is "$(LD_PRELOAD=$tmp/home/libcuarbiter.so "$built/cancelled" "$built/libplain.so")" opened \
    'a cancelled thread opens a library, no driver'
is "$(LD_BIND_NOW=1 LD_PRELOAD=$tmp/home/libcuarbiter.so "$built/liblone.so")" opened \
    'a program without DT_DEBUG, bound at once'
loader=$(readelf -lW "$built/liblone.so" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
is "$(LD_BIND_NOW=1 LD_PRELOAD=$tmp/home/libcuarbiter.so "$loader" "$built/liblone.so")" opened \
    'the same, by the loader itself'
both opened 'a thread with a small stack opens a library' "$built/small-stack" "$built/libplain.so"
both opened 'a thread with a small stack opens libcuda' "$built/small-stack" libcuda.so.1
both opened 'a handler on a stack of its own opens libcuda' "$built/alternate-stack" libcuda.so.1
for way in coroutine thread handler; do
    both 'opened, 0' "nothing is written below the stack of a $way" "$built/lent-stack" $way libcuda.so.1
done
# Its own words are errors that it counts in the program.
if command -v valgrind >/dev/null; then
    for program in "$built/cancelled" "$built/small-stack"; do
        both opened "valgrind finds no error: ${program##*/}" valgrind --error-exitcode=9 \
            --log-file="$tmp/valgrind" "$program" libcuda.so.1
    done
else
    missing 'valgrind finds no error' 'no valgrind here'
fi
# Without the stand-in, which needs stack itself.
use() { # LD_PRELOAD SIZE NAME
    CUARBITER_SYSROOT=$tmp/machine LD_PRELOAD=$1 "$built/stack-use" "$2" "$3" 2>&1 || echo "status $?"
}
cp "$built/libneed.so" "$built/libplain.so" "$tmp/"
LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$tmp
for name in libcuda.so.1 "$tmp/machine/usr/local/cuda/compat/libcuda.so.1" libnvidia-ml.so.1 libplain.so \
    "$tmp/libplain.so" "$built/../preload/needs-libcuda.so" libm.so.6 libnone.so.1 "$tmp/none.so"; do
    bare=$(use '' 61440 "$name") shimmed=$(use "$tmp/home/libcuarbiter.so" 61440 "$name")
    is "${shimmed#* }, $((${shimmed%% *} <= ${bare%% *} + 4096))" "${bare#* }, 1" \
        "at most 4 KiB of stack more than bare: ${name##*/}, $bare, $shimmed"
    is "$(use "$tmp/home/libcuarbiter.so" least "$name" | cut -d' ' -f2-)" \
        "$(use '' least "$name" | cut -d' ' -f2-)" "a thread with the smallest stack: ${name##*/}"
done
# A first thread most of whose stack is its environment.
full() { # BYTES
    # shellcheck disable=SC3045 # dash and bash have -s
    (ulimit -s 160 && CUARBITER_SYSROOT=$tmp/machine CUARBITER_TRIAL=never LD_PRELOAD=$tmp/home/libcuarbiter.so \
        FILLER=$(head -c "$1" /dev/zero | tr '\0' x) exec "$programs/init-linked" 2>&1) || echo "status $?"
}
bad='' size=118000 ran=0
while [ $size -lt 131000 ]; do
    case $(full $size) in
    *' cuInit=0 '*) ran=$((ran + 1)) ;;
    *' cuInit=804 '* | *'status 126') ;; # the second or the first execution does not fit
    *) bad="$bad $size" ;;
    esac
    size=$((size + 500))
done
is "$bad $((ran > 10))" ' 1' 'a first thread most of whose stack is its environment'
# A name under which ld.so finds nothing.
for name in libcuda.so.999 /nonexistent/libcuda.so.1 ./libcuda.so.1 libcuda.so.550.1; do
    is "$(cd "$tmp" && CUARBITER_SYSROOT=$tmp/machine LD_PRELOAD=$tmp/home/libcuarbiter.so "$built/callers" \
        "open:$name" 2>&1)" "$(cd "$tmp" && "$built/callers" "open:$name" 2>&1)" "$name, which is nowhere"
done
is "$(CUARBITER_SYSROOT=$tmp/machine LD_PRELOAD=$tmp/home/libcuarbiter.so "$built/asker" again)" 'no more' \
    'what is asked about again and again maps no more memory'
mkdir "$tmp/home/gone"
is "$(cd "$tmp/home/gone" && rmdir ../gone && CUARBITER_SYSROOT=$tmp/machine LD_PRELOAD=../libcuarbiter.so \
    "$built/asker" again 2>&1)" 'no more' 'nor where the shim was found from a folder that is gone'
# A file whose bytes cannot be had: read answers something, and mapped bytes end the program.
mkdir "$tmp/hole"
in_hole() { # COMMAND...
    # shellcheck disable=SC2016
    unshare -m sh -c 'mount -t tmpfs -o size=64k none "$1" && truncate -s 8192 "$1/lib.so" || exit 1
        head -c 65536 /dev/zero >"$1/full" 2>/dev/null
        shift && exec "$@"' sh "$tmp/hole" "$@"
}
if [ "$(id -u)" = 0 ] && in_hole true 2>/dev/null; then
    is "$(CUARBITER_SYSROOT=$tmp/machine in_hole env LD_PRELOAD="$tmp/home/libcuarbiter.so" "$built/callers" \
        "open:$tmp/hole/lib.so" 2>&1 || echo "status $?")" \
        "$(in_hole "$built/callers" "open:$tmp/hole/lib.so" 2>&1 || echo "status $?")" 'a file whose bytes cannot be mapped'
else
    ok 'a file whose bytes cannot be mapped # SKIP not root, or no mount namespaces here'
fi
# What was seen is known by who asked: every library that brings libcuda in brings the right one.
mkdir "$tmp/callers" "$tmp/callers/a" "$tmp/callers/b"
cp "$built/callers" "$built/libopen_a.so" "$built/libopen_b.so" "$built/libopen_c.so" "$built/libouter-a.so" \
    "$built/libouter-b.so" "$tmp/callers/"
for name in libsame.so libinner.so; do
    cp "$built/libwithout.so" "$tmp/callers/a/$name"
    cp "$built/libwith.so" "$tmp/callers/b/$name"
done
cp "$built/libouter-a.so" "$tmp/callers/libouter-c.so"
cp "$built/libwithout.so" "$tmp/callers/libplugin.so"
brings() { # NAME WORD...
    name=$1
    shift
    rm -rf "$tmp/now"
    cp -r "$tmp/callers" "$tmp/now"
    is "$(cd "$tmp/now" && CUARBITER_SYSROOT=$tmp/machine LD_PRELOAD=$tmp/home/libcuarbiter.so ./callers "$@" 2>&1)" \
        "libcuda: $(echo "$tmp"/machine/usr/lib/*-linux-gnu)/libcuda.so.1" "$name"
}
brings 'a plugin' open:./b/libsame.so
brings 'one name, two callers' a:libsame.so close: b:libsame.so
brings 'one need, two search paths, by whole paths' "open:$tmp/now/libouter-a.so" close: "open:$tmp/now/libouter-b.so"
# One caller after the other at the same place.
mkdir "$tmp/x" "$tmp/y"
for folder in x y; do
    cp "$built/libopen_a.so" "$tmp/$folder/"
    mkdir "$tmp/$folder/a"
done
cp "$built/libwithout.so" "$tmp/x/a/libsame.so"
cp "$built/libwith.so" "$tmp/y/a/libsame.so"
brings 'one name, a caller that is unloaded and another one' "for:$tmp/x/libopen_a.so=libsame.so" close: \
    "for:$tmp/y/libopen_a.so=libsame.so"
before=$LD_LIBRARY_PATH LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$tmp/callers/a
brings 'a name in LD_LIBRARY_PATH, and before that in the RPATH of its caller' c:libsame.so
LD_LIBRARY_PATH=$before
brings 'one need, two search paths' open:./libouter-a.so open:./libouter-c.so close: open:./libouter-b.so
# A hook of open that opens a library of its own: while the driver is looked for, and while ld.so reads.
hooked() { # NAME
    HOOK=$tmp/callers/libouter-a.so LD_PRELOAD=$tmp/home/libcuarbiter.so:$built/libhook.so "$tmp/callers/callers" \
        "open:$1" 2>&1 || echo "status $?"
}
is "$(hooked "$tmp/callers/libplugin.so")" 'libcuda:' 'a hook of open opens a library, no driver'
is "$(CUARBITER_SYSROOT=$tmp/machine hooked libcuda.so.1)" \
    "libcuda: $(echo "$tmp"/machine/usr/lib/*-linux-gnu)/libcuda.so.1" 'a hook of open opens a library'
# What is freed is overwritten.
export MALLOC_PERTURB_=165
both 'opened 5000 times' 'a thread sets variables meanwhile' "$built/setting-thread"
finish
