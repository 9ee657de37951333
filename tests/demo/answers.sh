#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What real programs get, without and with the shim, on this machine or root as it is laid out now.
# One line, `program=bare/shimmed ...`; the codes are cuInit's, or cudaGetDeviceCount's.
#
#   answers.sh PROGRAMS SHIM [CUDART...]
#
# PROGRAMS holds the small programs, with init-rpath's `bundled` folder beside it. PRELOAD (the
# stand-in, on a machine without the driver) is preloaded in both cases.
programs=$1 shim=$2
shift 2

answer() { # WORD LINE
    case " $2" in
    *" $1="*) rest=${2#*"$1="} && printf '%s' "${rest%% *}" ;;
    *) printf '%s' none ;;
    esac
}

bare() { # WORD COMMAND...
    word=$1
    shift
    # Bare, cudart on a refused 555.58.02 now and then dies by SIGSEGV, after its answer or before:
    # NVIDIA's own affair, so it is asked again.
    for _ in 1 2 3 4 5; do
        code=$(answer "$word" "$(LD_PRELOAD="$PRELOAD" "$@" 2>&1)")
        [ "$code" = none ] || break
    done
    printf '%s' "$code"
}

shimmed() { # WORD COMMAND...
    word=$1
    shift
    line=$(LD_PRELOAD="$shim${PRELOAD:+:$PRELOAD}" "$@" 2>&1)
    status=$?
    # One that answers and then dies has not worked.
    [ $status -lt 128 ] || line="$word=died-$status"
    answer "$word" "$line"
}

both() { # LABEL WORD COMMAND...
    label=$1
    shift
    printf '%s=%s/%s ' "$label" "$(bare "$@")" "$(shimmed "$@")"
}

for p in dlopen linked rpath plugin; do
    both "$p" cuInit "$programs/init-$p"
done
for c in "$@"; do
    version=${c##*.so.}
    both "cudart-$(echo "$version" | cut -d. -f1,2)" cudaGetDeviceCount "$programs/init-cudart" "$c"
done
echo
