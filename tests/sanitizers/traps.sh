#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The suites preload and hosting, and of faults those that are quick, in a build whose shim ends the
# program, and whose answerer ends, by SIGILL, where UndefinedBehaviorSanitizer finds something; that needs no runtime,
# which a foreign program does not have. Beside the folder build. TAP.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"
need_tool meson ninja objdump

# Not `surroundings-instructions`, which counts those that the shim has for a request, nor what is about time or builds shims of its own; nor the rest of
# faults, which takes a quarter of an hour.
without='surroundings-instructions|hosting-broken-rules|preload-thread-storm|requests-answerer|faults-(?!(named|plugin|linked)$).*'
folder=$build-traps
[ -e "$folder/build.ninja" ] || meson setup "$folder" "$tree" -Dtraps=true >"$tmp/log" 2>&1 ||
    cannot 'meson setup with -Dtraps=true fails here'
ninja -C "$folder" >"$tmp/log" 2>&1 || {
    not_ok 'the build' "$(tail -n 20 "$tmp/log")"
    finish
}
for file in shim/libcuarbiter.so probe/cuarbiter-answer probe/cuarbiter; do
    is "$([ "$(objdump -d "$folder/$file" | grep -cE '\<(ud2|brk)\>')" -gt 100 ] || echo few)" '' "${file##*/} has traps"
done
for suite in preload hosting faults; do
    names=$(meson test -C "$folder" --list --suite "$suite" --no-suite real --no-suite long 2>/dev/null |
        sed -n 's/^[^ ]* \/ //p' | grep -vxP "$without")
    # shellcheck disable=SC2086
    if meson test -C "$folder" --no-rebuild --timeout-multiplier 3 --print-errorlogs --suite "$suite" $names \
        >"$tmp/log" 2>&1; then
        ok "$suite: $(echo "$names" | wc -l) tests"
    else
        not_ok "$suite" "$(grep -E 'ERROR|FAIL|TIMEOUT|not ok' "$tmp/log" | head -n 40)"
    fi
done
finish
