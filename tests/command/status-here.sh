#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter status as it is here: facts through CUARBITER_SYSROOT, a trial where one is needed.

# shellcheck source=tests/command/status-lib.sh
. "$(dirname "$0")/status-lib.sh"

machines geforce tesla
export CUARBITER_SYSROOT="$tmp/tesla"

verdict 'this machine' 0 yes native native
run status --json
is "$(json '[.chosen.path, .without.path, .without.code]|@csv')" \
    "\"$lib/libcuda.so.535.161.07\",\"$lib/libcuda.so.535.161.07\",0" 'chosen and without'
is "$(json '.rests_on|join(" ")'):$(json '.candidates|length'):$(json '.gpus|length')" \
    'kernel-driver loader program:2:1' 'what it rests on; the rest is listed anyway'
is "$(json '.majors|map([.cuda, .works, .reason]|join(" "))|join(";")')" '13 no runtime-too-new' \
    'a program of another CUDA major'
machine untold --kmd 550.163.01 --host-umd 550.163.01 --compat 610.43.02,nonote \
    --gpu 'NVIDIA A100-SXM4-80GB' --cc 8.0
CUARBITER_SYSROOT=$tmp/untold FAKE_ROOT=$tmp/untold LD_LIBRARY_PATH=$compat CUARBITER_TRIAL=always run status --json
is "$(json '.reason'):$(json '.majors|map([.cuda, .works, .reason]|join(" "))|join(";")')" \
    'native:13 no trial-failed' 'what was tried counts for every major'
run status --toolkit 12.4 --json
is "$(json '.majors|length')" 0 'a program that is known'
is "$(json '[.toolkit.cuda, .toolkit.kind, .toolkit.source]|join(" ")')" '12.4 exact --toolkit' \
    'its CUDA, and how well it is known'
CUDA_VERSION=12.2.2 run status --json
is "$(json '[.toolkit.cuda, .toolkit.kind, .toolkit.source]|join(" ")')" '12.2 hint CUDA_VERSION' \
    'the image that speaks of one'
schema 'a hint'
LD_LIBRARY_PATH=$compat run status --json
is "$(json '.without.path')" "$compat/libcuda.so.550.54.15" 'LD_LIBRARY_PATH decides what the loader takes'
CUARBITER_SYSROOT=$tmp/geforce LD_LIBRARY_PATH=$compat run status --json
is "$(json '.without.code')" 804 'what it would answer'
machine without --kmd 535.161.07 --host-umd 535.161.07 --compat 550.54.15
CUARBITER_SYSROOT=$tmp/without NVIDIA_VISIBLE_DEVICES=void LD_LIBRARY_PATH=$compat run status
like "$out" '*NVIDIA_VISIBLE_DEVICES=void: the container was given no GPU*' 'a container without a GPU'
CUARBITER_SYSROOT=$tmp/geforce NVIDIA_VISIBLE_DEVICES=void run status
like "$(echo "$out" | grep -c 'given no GPU')" 0 'one that has it in another way'
mkdir "$tmp/tesla/broken"
echo text >"$tmp/tesla/broken/libcuda.so.1"
LD_LIBRARY_PATH=/broken run status --json
like "$(json .explanation)" '* What the loader alone would take: /broken/libcuda.so.1: too short for an ELF file.' \
    'a damaged file is named'
mkdir "$tmp/relative"
cp -L "$tmp/geforce$compat/libcuda.so.1" "$tmp/relative/"
cp -L "$tmp/geforce$compat/libcuda.so.1" "$tmp/relative/libcuda.so"
like "$(cd "$tmp" && LD_LIBRARY_PATH=relative CUARBITER_SYSROOT='' "$cuarbiter" status | tr -s '\n ' '  ')" \
    '* untrusted * found only through a relative folder in LD_LIBRARY_PATH *' 'a folder that depends on the current one'
CUARBITER_SYSROOT=$tmp/geforce LD_LIBRARY_PATH=$compat run status
like "$out" "Now             804 (550.54.15, bundled)
With cuarbiter  cuInit 0 (535.161.07, the host's)
                not active here; to use it: cuarbiter run -- COMMAND
Why *" 'what happens now, and what cuarbiter changes: the first lines'

finish_status
