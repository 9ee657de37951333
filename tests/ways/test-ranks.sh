#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The ranks of a job that start together on one node: one of them tries for all, all choose the same, and how
# a choice is forced. On fake drivers: of the bundled one nothing is known, it has to be tried.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
strace=$(command -v strace) # before may_lack puts another in its place
may_lack strace
place fake
[ -z "$strace" ] || trace_answerers "$tmp/answered" -e trace=execve,execveat
make_root "$tmp/unknown" --kmd "$kmd" --gpu 'NVIDIA A100-SXM4-80GB' --host-umd "$kmd" \
    --compat 900.10.01,nonote,cuda=20000,branches=535,devices=14 >/dev/null
machine=$tmp/unknown
bundled=$machine/usr/local/cuda/compat native=$machine/usr/lib/$(uname -m)-linux-gnu
path=$bundled:$native

job() { # SETTINGS...: "COUNT cuInit FOLDER" for each outcome; the trials are in $trials
    rm -rf "$tmp/run" "$tmp/job" "$tmp/answered"/*
    mkdir "$tmp/run" "$tmp/job"
    rank=0
    while [ $rank -lt $ranks ]; do
        shimmed "env XDG_RUNTIME_DIR=$tmp/run $* init-dlopen 2>/dev/null" \
            >"$tmp/job/$rank" &
        rank=$((rank + 1))
    done
    wait
    rank=0
    while [ $rank -lt $ranks ]; do
        maps=$(word maps "$(cat "$tmp/job/$rank")")
        case $maps in
        "$bundled"*) maps=bundled ;;
        "$native"*) maps=native ;;
        esac
        echo "$(word cuInit "$(cat "$tmp/job/$rank")") $maps"
        rank=$((rank + 1))
    done | sort | uniq -c | sed 's/^ *//' >"$tmp/outcomes"
    trials='lacks strace'
    [ ! -d "$tmp/answered" ] || trials=$(cat "$tmp/answered"/* | grep -c '"--helper"')
}

ranks=1
job
alone=$trials
like "$alone" '[1-9]*' 'one process tries the driver, and what it is to be compared with'
ranks=24
job
is "$(cat "$tmp/outcomes")" "$ranks 0 bundled" 'all ranks of a node make one choice'
is "$trials" "$alone" 'with as many trials as one process alone'
job CUARBITER_POLICY=host
is "$(cat "$tmp/outcomes")" "$ranks 0 native" "CUARBITER_POLICY=host: each has the host's driver"
is "$trials" 0 'and nothing is tried'
job "CUARBITER_LIBCUDA=$native/libcuda.so.1"
is "$(cat "$tmp/outcomes")" "$ranks 0 native" 'CUARBITER_LIBCUDA: each has that file'
job CUARBITER_TRIAL=never
is "$(wc -l <"$tmp/outcomes")" 1 'without trials, one choice too'
finish
