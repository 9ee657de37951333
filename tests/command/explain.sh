#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter explain: every code of the log and of status, and CUDA's.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"

codes=$(sed -n 's/^ *X([A-Z_]*, "\([a-z-]*\)".*/\1/p' "$tree/include/cuarbiter/reasons.h")
for code in $codes; do
    run explain "$code"
    like "$rc:$out" "0:$code
  ?*" "$code"
    like "$("$cuarbiter" explain --list)" "*
  $code *" "$code is listed"
done
is "$(printf '%s\n' "$codes" | wc -l)" "$("$cuarbiter" explain --list | grep -c '^  [a-z]')" 'all of the header'

run explain newer-brand
like "$out" '*What to do:*' 'what to do'

for code in 0 3 34 35 36 100 101 209 221 222 802 803 804 805 999; do
    run explain "$code"
    like "$rc:$out" "0:$code [A-Zc]*
  ?*" "error $code has a meaning"
    case $out in
    *'Nothing to do with'*) not_ok "error $code has a meaning of its own" ;;
    *) ok "error $code has a meaning of its own" ;;
    esac
done
run explain CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
like "$out" '803 *' 'by name'
run explain 719
like "$out" '*CUDA_ERROR_LAUNCH_FAILED*Nothing to do with*' 'one that is of no matter here'

run explain native 804
like "$rc:$out" '0:native*804 *' 'several'
run explain nonsense native
is "$rc:$err" "1:cuarbiter: nonsense: neither a reason code nor a CUDA error; 'cuarbiter explain --list' has all" 'not known'
like "$out" '*native*' 'the others all the same'
run explain 4321
is "$rc" 1 'a number that is no error'

header=/usr/local/cuda/include/cuda.h
if [ -e "$header" ]; then
    missing=$(sed -n 's/^ *CUDA_\(SUCCESS\|ERROR_[A-Z_0-9]*\) *= *\([0-9]*\).*/\2 CUDA_\1/p' "$header" |
        while read -r code name; do
            case $("$cuarbiter" explain "$code" 2>/dev/null | head -n 1) in
            "$code $name") ;;
            *) echo "$code $name" ;;
            esac
        done)
    is "$missing" '' 'every error of the toolkit that is installed here'
fi

finish
