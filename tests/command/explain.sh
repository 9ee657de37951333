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

# Every row of the table: by number, by both names, by the message as it is, in a line of a program
# and without its full stop.
tab=$(printf '\t')
errors=$tree/data/errors.tsv
same_message=300 # which is 200's, and 200 comes first
bad=
while IFS=$tab read -r code driver runtime message meaning help _; do
    case $code in '#'*) continue ;; esac
    title=$driver
    [ "$driver" != - ] || title=$runtime
    for word in "$code" "$driver" "$runtime" "$message" "app: CUDA error: $message" "${message%.}" \
        "app: cuInit returned $code." "torch.AcceleratorError: CUDA error: $message (error $code)"; do
        case $word in -|'app: CUDA error: -'|*'error: - ('*) continue ;; esac
        [ "$code" != 0 ] || case $word in *returned*) continue ;; esac
        case $code:$word in "$same_message:"*"$message"*) continue ;; esac
        run explain "$word"
        case $rc:$out in
        "0:$code $title"*) ;;
        *) bad="$bad
$code: $word: $(printf '%s' "$out" | head -n 1)" ;;
        esac
    done
    wanted=$meaning
    [ "$meaning" != - ] || wanted='This error is not known to depend on which driver is loaded.'
    case $(printf '%s' "$out" | tr -s '\n ' '  ') in
    *"$wanted"*) ;;
    *) bad="$bad
$code: the meaning" ;;
    esac
    [ "$meaning" = - ] || [ "$help" != - ] || bad="$bad
$code: nothing to do"
done <"$errors"
is "$bad" '' 'every error of the table, by number, names and message'
is "$("$cuarbiter" explain --list | grep -c '^ *[0-9]')" \
    "$(grep -v '^#' "$errors" | cut -f 5 | grep -vc '^-$')" 'those with a meaning are listed'
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
for line in 'app: cuInit: error 804' 'cuInit: error 804.' 'cuInit returned 804' 'Error 804'; do
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
# What they say of code that a driver cannot take.
for word in 200 209 222 'device kernel image is invalid' 'no kernel image is available' \
    'the provided PTX was compiled with an unsupported toolchain' cudaErrorSymbolNotFound; do
    run explain "$word"
    like "$(printf '%s' "$out" | tr -s '\n ' '  ')" "*'cuarbiter code *" "$word: how to look at the files"
done
run explain 200
like "$(printf '%s' "$out" | tr -s '\n ' '  ')" '*zstd*550*' '200: code that is packed in a newer way'

# What a policy has chosen need not work.
for each in host:POLICY compat:POLICY file:LIBCUDA; do
    run explain "policy-${each%:*}"
    like "$out" "*If the program fails with it, unset CUARBITER_${each#*:}." "policy-${each%:*}: the way back"
done

run explain native 804
like "$rc:$out" '0:native*804 *' 'several'
run explain nonsense native
is "$rc:$err" "1:cuarbiter: nonsense: neither a reason code nor a CUDA error that is known; 'cuarbiter explain --list' shows the reason codes, and the errors that it can explain" 'not known'
like "$out" '*native*' 'the others too'
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
