#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the answerer looks at to decide, on each kind of machine, as strace sees it: a fact that could
# not change the verdict is not asked for. On fake drivers.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
tracing 'what is looked at' || finish
place fake
kmd=535.161.07

start() { # GPU MAKE-ROOT-ARGUMENT...
    machine=$tmp/machine gpu=$1
    shift
    rm -rf "$machine" "$tmp/run"
    mkdir -m 700 "$tmp/run"
    make_root "$machine" --kmd "$kmd" --gpu "$gpu" --host-umd "$kmd" "$@" >/dev/null
    wrong=$machine/usr/local/cuda/compat right=$machine/usr/lib/$(uname -m)-linux-gnu
}

looked() { # PATTERN WORD
    grep -Eq "$1" "$tmp/seen" && echo "$2"
}

trace_answerers "$tmp/answered" -e trace=%file,connect,%process

asked() { # [VARIABLE=VALUE...]
    rm -f "$tmp/answered"/*
    shimmed "env XDG_RUNTIME_DIR=$tmp/run $* init-dlopen" >/dev/null
    cat "$tmp/answered"/* >"$tmp/seen" 2>/dev/null
    {
        looked '/proc/driver/nvidia/version' kmd
        looked '/etc/cuarbiter/data' tables
        looked '"/usr/local/cuda[^/]*/compat|"/usr/local/nvidia|"/run/opengl-driver' folders
        looked '/proc/driver/nvidia/gpus' gpus
        looked 'nvidia-mps' mps
        looked 'execve\(.*/cuarbiter"' trial
    } | tr '\n' ' '
}

asks() { # NAME FACTS [VARIABLE=VALUE...]
    name=$1 facts=$2
    shift 2
    is "$(asked "$@")" "${facts:+$facts }" "$name"
}

a100='NVIDIA A100-SXM4-80GB'
start "$a100"
path=$right
asks 'native alone' 'kmd'
start "$a100" --compat 575.57.08
path=$right:$wrong
asks 'native, and a bundled one behind it' 'kmd'
asks 'an image of its own CUDA' 'kmd tables' CUDA_VERSION=12.2
asks 'an image of a later minor' 'kmd tables folders gpus mps' CUDA_VERSION=12.9
asks 'and nobody wants that' 'kmd tables' CUDA_VERSION=12.9 CUARBITER_MINOR=no
asks 'an image of a later major' 'kmd tables folders gpus mps' CUDA_VERSION=13.0
asks 'policy off' '' CUARBITER_POLICY=off
path=$wrong:$right
asks 'a bundled one that works' 'kmd tables gpus mps'
start 'NVIDIA GeForce RTX 4090' --compat 575.57.08
path=$wrong:$right
asks 'on a GeForce' 'kmd tables gpus'
start "$a100" --compat 525.147.05
path=$wrong:$right
asks 'one that is older' 'kmd'
start "$a100" --compat 590.48.01 --note '{"format":1,"CUDA version":"13.1","driver":[550,590],"device":[2,14]}'
path=$wrong:$right
asks 'one whose own list lacks the branch' 'kmd'
start "$a100" --compat 998.43.02,nonote
path=$wrong:$right
asks 'one that is open' 'kmd tables gpus mps trial'
asks 'and was tried' 'kmd tables gpus mps'
finish
