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
# As people have them: what a program printed, in any case.
for word in CUDA_ERROR_SYSTEM_DRIVER_MISMATCH cuda_error_system_driver_mismatch \
    cudaErrorSystemDriverMismatch CUDAERRORSYSTEMDRIVERMISMATCH 803 \
    'RuntimeError: system has unsupported display driver / cuda driver combination'; do
    run explain "$word"
    like "$rc:$out" '0:803 CUDA_ERROR_SYSTEM_DRIVER_MISMATCH*cudaErrorSystemDriverMismatch*What to do:*cuarbiter run*' "$word"
done
run explain 'Forward compatibility was attempted on non supported HW'
like "$out" '804 CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE*What to do:*' "804's message"
# A whole line of a program's, with the number alone in it.
for line in 'app: cuInit: error 804' 'cuInit returned 804' 'Error 804'; do
    run explain "$line"
    like "$rc:$out" '0:804 CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE*What to do:*' "$line"
done
run explain 'listening on port 804'
is "$rc" 1 'a number that is no code'
run explain NEWER-BRAND
like "$out" 'newer-brand*' 'a reason code in any case'
for code in $codes 0 1 3 35 100 803 804 999; do
    run explain "$code"
    like "$out" '*What to do:
  ?*' "$code: what to do"
done
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
