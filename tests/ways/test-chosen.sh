#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Constructors that choose GPUs, or set what cuarbiter goes by. A program that opens libcuda asks after
# them: the question has the environment that libcuda will have. One that is linked with it asks before
# any constructor, by the environment that it was started with. On fake drivers: a compat driver comes
# first, which runs on the A100 and not on the GeForce.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
kmd=535.161.07 compat=580.82.07
machine=$tmp/machine
make_root "$machine" --kmd $kmd --host-umd $kmd --gpu 'NVIDIA GeForce RTX 4090' \
    --gpu 'NVIDIA A100-SXM4-80GB' --compat $compat >/dev/null
path=$machine/usr/local/cuda/compat:$machine/usr/lib/$(uname -m)-linux-gnu

# VERSION and answer of the driver that the program gets.
got() { # PRELOAD [NAME=VALUE...] PROGRAM
    list=$1
    shift
    line=$(env LD_PRELOAD="$list" FAKE_ROOT="$machine" CUARBITER_SYSROOT="$machine" CUARBITER_TRIAL=never \
        CUDA_DEVICE_ORDER=PCI_BUS_ID LD_LIBRARY_PATH="$path" "$@" 2>&1 | grep '^program=')
    file=$(readlink -f "$(word file "$line")")
    echo "${file##*/libcuda.so.} $(word cuInit "$line")"
}

hook=$ways/chooses.so program=$programs/init-dlopen by=CHOOSE_BY_HOOK
is "$(got "$hook" $by=CUDA_VISIBLE_DEVICES=1 "$program")" "$compat 0" 'opened: the A100, bare'
is "$(got "$hook" CUDA_VISIBLE_DEVICES=1 $by=CUDA_VISIBLE_DEVICES=0 "$program")" "$compat 804" \
    'opened: the GeForce, bare'
for list in "$shim:$hook" "$hook:$shim"; do
    is "$(got "$list" $by=CUDA_VISIBLE_DEVICES=1 "$program")" "$compat 0" 'opened: the A100'
    is "$(got "$list" CUDA_VISIBLE_DEVICES=0 $by=CUDA_VISIBLE_DEVICES=1 "$program")" "$compat 0" \
        'opened: the A100, where it was the GeForce'
    is "$(got "$list" CUDA_VISIBLE_DEVICES=1 $by=CUDA_VISIBLE_DEVICES=0 "$program")" "$kmd 0" \
        'opened: the GeForce, where it was the A100'
    is "$(got "$list" $by=CUDA_VISIBLE_DEVICES=0 "$program")" "$kmd 0" 'opened: the GeForce'
    is "$(got "$list" $by=CUARBITER_POLICY=host "$program")" "$kmd 0" 'opened: a policy'
done
program=$ways/linked-chooses
for list in "$shim:$hook" "$hook:$shim"; do
    for by in CHOOSE_BY_HOOK CHOOSE; do
        is "$(got "$list" CUDA_VISIBLE_DEVICES=1 $by=UNRELATED=1 "$program")" "$compat 0" "linked, $by: the A100 from the start"
        is "$(got "$list" CUDA_VISIBLE_DEVICES=0 $by=UNRELATED=1 "$program")" "$kmd 0" "linked, $by: the GeForce from the start"
        is "$(got "$list" CUDA_VISIBLE_DEVICES=0 $by=CUDA_VISIBLE_DEVICES=1 "$program")" "$kmd 0" \
            "linked, $by: chosen before the constructor, the host's runs on both"
        is "$(got "$list" CUDA_VISIBLE_DEVICES=1 $by=CUDA_VISIBLE_DEVICES=0 "$program")" "$compat 804" \
            "linked, $by: chosen before the constructor, as bare"
    done
done
finish
