#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Threads in a build with ThreadSanitizer, beside the folder build: 8 that ask the engine at once,
# and the tests of trials that have threads. TAP. The shim is left out: it runs before the
# sanitizer's runtime does, in programs without it, and makes its system calls itself.
# shellcheck source=tests/fixtures/private.sh
. "$(dirname "$0")/../fixtures/private.sh"
need_tool meson ninja

folder=$build-tsan
export TSAN_OPTIONS=exitcode=66
[ -e "$folder/build.ninja" ] || meson setup "$folder" "$tree" -Db_sanitize=thread \
    -Db_lundef=false -Dfloor=distro >"$tmp/log" 2>&1 || cannot 'meson setup with ThreadSanitizer fails here'
ninja -C "$folder" probe/libcuarbiter-engine.so probe/cuarbiter tests/command/odd-driver.so \
    tests/command/test-place tests/command/test-unnoticed \
    tests/sanitizers/threads tests/sanitizers/locks.so >"$tmp/log" 2>&1 || {
    not_ok 'the build' "$(tail -n 20 "$tmp/log")"
    finish
}
threads=$folder/tests/sanitizers/threads
# Before gcc 14 the runtime refuses the addresses that some kernels give.
in_place="setarch $(uname -m) -R"
$in_place true 2>/dev/null || in_place=''
$in_place "$threads" race >"$tmp/log" 2>&1
like "$(cat "$tmp/log")" '*WARNING: ThreadSanitizer: data race*' 'a race is found'

without_race() { # TIMES NAME COMMAND...: into $tmp/out
    times=$1 name=$2
    shift 2
    while times=$((times - 1)) && [ $times -ge 0 ]; do
        $in_place timeout 120 "$@" >"$tmp/out" 2>"$tmp/err" || {
            echo "status $?" >>"$tmp/err"
            break
        }
    done
    is "$times $(grep -A 12 -e ThreadSanitizer -e ^status "$tmp/err" | head -n 60)" '-1 ' "$name"
}

known_machine "$tmp/machine"
mkdir -p "$tmp/machine/etc/cuarbiter/data"
cp "$tree"/data/*.tsv "$tmp/machine/etc/cuarbiter/data"
libs=$(echo "$tmp/machine/usr/lib/"*-linux-gnu)
compat=$tmp/machine/usr/local/cuda/compat

# PRELOAD NAME. Ten times, because the first questions of a process are the ones that meet.
ask() {
    rm -rf "$tmp/run/cuarbiter"
    without_race 10 "$2" env CUARBITER_SYSROOT="$tmp/machine" CUARBITER_LOG=debug \
        CUARBITER_LOG_FILE="$tmp/printed" XDG_RUNTIME_DIR="$tmp/run" \
        LD_LIBRARY_PATH="$compat:$libs" LD_PRELOAD="$1" \
        "$threads" "$folder/probe/libcuarbiter-engine.so" "$folder/probe" 20 libutil.so.1 \
        libcuda.so.1 "$compat/libcuda.so.1" libnvidia-ml.so.1 libnvidia-ptxjitcompiler.so.1 \
        libnone.so "$programs/plugin.so"
}
ask '' '8 threads ask at once'
is "$(grep -v ': leave -' "$tmp/out")" "named libcuda.so.1: rename $libs/libcuda.so.1
named $compat/libcuda.so.1: rename $libs/libcuda.so.1
named libnvidia-ptxjitcompiler.so.1: rename $libs/libnvidia-ptxjitcompiler.so.535.161.07
brought $programs/plugin.so: first $libs/libcuda.so.1" 'each gets the same answers'
is "$(grep -c ': leave -' "$tmp/out")" 8 'and the rest is left as it is'
ask "$libs/libcuda.so.1" '8 threads ask at once, and one is mapped'
is "$(grep -v ': leave -' "$tmp/out")" "named $compat/libcuda.so.1: rename $libs/libcuda.so.1
named libnvidia-ptxjitcompiler.so.1: rename $libs/libnvidia-ptxjitcompiler.so.535.161.07" \
    'each is led to the mapped one'

for test in place unnoticed; do
    without_race 1 "command/test-$test" env CMOCKA_MESSAGE_OUTPUT=STDOUT CUARBITER_BUILD="$folder" \
        LD_PRELOAD="$folder/tests/sanitizers/locks.so" "$folder/tests/command/test-$test"
done
finish
