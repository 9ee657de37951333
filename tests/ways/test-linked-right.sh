#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that is linked with libcuda and has the right one already, or the wrong one with nothing
# to be done about it: it is asked about before libc is set up, and goes on as if it had not been.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"

same() { # NAME COMMAND
    without=$(bare "$2")
    with=$(shimmed "$2")
    is "$with" "$without" "$1"
    like "$without" '*environ yes third argument it*KEY value*constructor argc 3 *' \
        "$1: and there is something to compare"
}

place real
path=$right:$wrong
same 'the right one is there' 'env KEY=value state ./arguments.so two'
path=$wrong:$right
same 'policy off' 'env KEY=value CUARBITER_POLICY=off state ./arguments.so two'
place fake
path=$right:$wrong
same 'the right one is there, NVML is asked' 'env KEY=value state ./arguments.so two'
path=$wrong
same 'no right one is there' 'env KEY=value CUARBITER_LOG=error state ./arguments.so two'
for old_root in bullseye bookworm trixie; do
    lacks=$(root_misses $old_root)
    if [ -n "$lacks" ]; then
        tests_run=$((tests_run + 1))
        echo "ok $tests_run - $old_root # SKIP $lacks"
        continue
    fi
    place fake-root
    path=$right
    same "$old_root: the right one is there" 'env KEY=value ./state ./arguments.so two'
done
finish
