#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A signal handler leaves a request by siglongjmp, at each of the calls around a question: whoever opens
# libcuda afterwards gets the right one or what the loader alone would take. Nobody hangs or ends.
# shellcheck source=tests/fixtures/private.sh
. "$(dirname "$0")/../fixtures/private.sh"

tracing 'a request that is left' || finish
known_machine "$tmp/known"
root=$tmp/known compat=$root/usr/local/cuda/compat native=$(echo "$root"/usr/lib/*-linux-gnu)
# Calls of the shim that ld.so does not make: a handler that leaves ld.so leaves its lock locked.
calls=readlinkat,waitid,gettid,rt_sigprocmask,clone,wait4

opens() { # STACK POINT
    timeout 20 strace -f -qq -o /dev/null -e trace=$calls -e inject=$calls:signal=TERM:when="$2" \
        -E LD_PRELOAD="$tmp/home/libcuarbiter.so" -E CUARBITER_SYSROOT="$root" -E XDG_RUNTIME_DIR="$tmp/run" \
        -E LD_LIBRARY_PATH="$compat:$native" "$built/left" "$1" libcuda.so.1 2>/dev/null || echo "status $?"
}

for stack in plain small; do
    point=0 bad='' left=0 right=0 bare=0
    while [ $point -lt 20 ]; do
        point=$((point + 1))
        got=$(opens $stack $point)
        case $got in 'left '*) left=$((left + 1)) ;; esac
        case $got in
        *"left $native/libcuda.so.1 $native/libcuda.so.1") right=$((right + 1)) ;;
        *"left $compat/libcuda.so.1 $compat/libcuda.so.1") bare=$((bare + 1)) ;;
        *) bad="$bad$point: $got
" ;;
        esac
    done
    is "$(echo "$bad" | head -n 5)" '' "$stack: left at $left points, $right times the right one, $bare times bare"
    is "$([ "$left" -ge 3 ] && echo yes)" yes "$stack: there are so many points: $left"
done
finish
