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

code() { # bare|shimmed WORD COMMAND...
    how=$1 word=$2
    shift 2
    if [ "$how" = shimmed ]; then
        line=$(LD_PRELOAD="$shim${PRELOAD:+:$PRELOAD}" "$@" 2>&1)
    else
        line=$(LD_PRELOAD="$PRELOAD" "$@" 2>&1)
    fi
    case " $line" in
    *" $word="*) rest=${line#*"$word="} && printf '%s' "${rest%% *}" ;;
    *) printf '%s' none ;;
    esac
}

both() { # LABEL WORD COMMAND...
    label=$1
    shift
    printf '%s=%s/%s ' "$label" "$(code bare "$@")" "$(code shimmed "$@")"
}

for p in dlopen linked rpath plugin; do
    both "$p" cuInit "$programs/init-$p"
done
for c in "$@"; do
    version=${c##*.so.}
    both "cudart-$(echo "$version" | cut -d. -f1,2)" cudaGetDeviceCount "$programs/init-cudart" "$c"
done
echo
