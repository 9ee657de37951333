#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A signal handler leaves a decision by siglongjmp, at each of its system calls: whoever opens
# libcuda afterwards gets the right one or what the loader alone would take. Nobody hangs or ends.
# shellcheck source=tests/fixtures/private.sh
. "$(dirname "$0")/../fixtures/private.sh"

known_machine "$tmp/known"
open_machine "$tmp/open"

opens() { # STACK POINT
    LD_PRELOAD=$tmp/home/libcuarbiter.so:$built/libleft-hooks.so CUARBITER_SYSROOT=$root FAKE_ROOT=$root FAKE_KMD=535.161.07 \
        XDG_RUNTIME_DIR=$tmp/run LD_LIBRARY_PATH=$compat:$native timeout 20 \
        "$built/left" "$1" "$2" libcuda.so.1 2>/dev/null || echo "status $?"
}

for machine in known open; do
    root=$tmp/$machine compat=$root/usr/local/cuda/compat native=$(echo "$root"/usr/lib/*-linux-gnu)
    step=1 stacks='plain small'
    # A trial that was left holds its lock until the process ends, and the next one waits for it.
    [ $machine = known ] || step=5 stacks=plain
    for stack in $stacks; do
        point=0 bad='' right=0 bare=0
        while [ $point -lt 400 ]; do
            point=$((point + step))
            rm -rf "$tmp/run"/*
            got=$(opens $stack $point)
            case $got in
            "not so many "*) break ;;
            "left $native/libcuda.so.1 $native/libcuda.so.1") right=$((right + 1)) ;;
            "left $compat/libcuda.so.1 $compat/libcuda.so.1") bare=$((bare + 1)) ;;
            *) bad="$bad$point: $got
" ;;
            esac
        done
        is "$(echo "$bad" | head -n 5)" '' \
            "$machine, $stack: left at $((right + bare)) points, $right times the right one afterwards"
        is "$([ "$point" -gt 50 ] && echo yes)" yes "$machine, $stack: there are so many points"
    done
done
finish
