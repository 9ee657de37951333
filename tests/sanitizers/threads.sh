#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a build with ThreadSanitizer, beside the folder build: the tests of trials that have threads. TAP.
# The answerer has one thread. The shim is left out: it runs before the sanitizer's runtime does, in
# programs without it, and makes its system calls itself.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"
need_tool meson ninja

folder=$build-tsan
export TSAN_OPTIONS=exitcode=66
[ -e "$folder/build.ninja" ] || meson setup "$folder" "$tree" -Db_sanitize=thread \
    -Db_lundef=false -Dfloor=distro >"$tmp/log" 2>&1 || cannot 'meson setup with ThreadSanitizer fails here'
ninja -C "$folder" probe/cuarbiter tests/command/odd-driver.so \
    tests/command/test-place tests/command/test-unnoticed \
    tests/sanitizers/race tests/sanitizers/locks.so >"$tmp/log" 2>&1 || {
    not_ok 'the build' "$(tail -n 20 "$tmp/log")"
    finish
}
# Before gcc 14 the runtime refuses the addresses that some kernels give.
in_place="setarch $(uname -m) -R"
$in_place true 2>/dev/null || in_place=''
$in_place "$folder/tests/sanitizers/race" >"$tmp/log" 2>&1
like "$(cat "$tmp/log")" '*WARNING: ThreadSanitizer: data race*' 'a race is found'

without_race() { # NAME COMMAND...
    name=$1
    shift
    $in_place timeout 120 "$@" >"$tmp/out" 2>"$tmp/err" || echo "status $?" >>"$tmp/err"
    is "$(grep -A 12 -e ThreadSanitizer -e ^status "$tmp/err" | head -n 60)" '' "$name"
}

for test in place unnoticed; do
    without_race "command/test-$test" env CMOCKA_MESSAGE_OUTPUT=STDOUT CUARBITER_BUILD="$folder" \
        LD_PRELOAD="$folder/tests/sanitizers/locks.so" "$folder/tests/command/test-$test"
done
finish
