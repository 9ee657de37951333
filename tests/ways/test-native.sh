#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that asks for NVML, or another library that is always the kernel driver's own, has not
# asked for libcuda: nothing is decided, tried or logged for it. On fake drivers.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
place fake
path=''

said() { # COMMAND: "CODE, LINES of the log, kinds"
    mkdir -p "$tmp/run"
    shimmed "env XDG_RUNTIME_DIR=$tmp/run CUARBITER_LOG=debug $* 2>$tmp/err" >"$tmp/out"
    echo "$(word nvmlInit_v2 "$(cat "$tmp/out")")$(sed -n '/: debug: active: /d; s/.*: \([a-z-]*: [a-z-]*\): .*/, \1/p' \
        "$tmp/err" | sort -u | tr -d '\n')"
    rm -rf "$tmp/run"
}

# A newer driver that only a trial could judge.
make_root "$tmp/open" --kmd "$kmd" --gpu 'NVIDIA H100 PCIe' --host-umd "$kmd" \
    --compat 998.54.15,nonote >/dev/null
machine=$tmp/open
path=$machine/usr/local/cuda/compat:$(echo "$machine/usr/lib/"*-linux-gnu)
is "$(said init-ml)" 0 'NVML, where a trial would be needed for libcuda'

# A container with NVML and no libcuda: --gpus with the capability utility alone.
make_root "$tmp/utility" --kmd "$kmd" --gpu 'NVIDIA H100 PCIe' --host-umd "$kmd" >/dev/null
rm "$tmp/utility/usr/lib/"*-linux-gnu/libcuda*
machine=$tmp/utility
path=$(echo "$machine/usr/lib/"*-linux-gnu)
is "$(said init-ml)" 0 'NVML, where there is no libcuda'

# Forward compatibility is open to one of the two GPUs only.
make_root "$tmp/two" --kmd "$kmd" --gpu 'NVIDIA H100 PCIe' --gpu 'NVIDIA GeForce RTX 4090' \
    --host-umd "$kmd" --compat 550.54.15 >/dev/null
machine=$tmp/two
path=$machine/usr/local/cuda/compat:$(echo "$machine/usr/lib/"*-linux-gnu)
export CUDA_HOME="$machine/usr/local/cuda" CUDA_DEVICE_ORDER=PCI_BUS_ID
for devices in 0 1; do
    line=$(shimmed "nvml-first $devices")
    file=$(readlink -f "$(word file "$line")")
    case $devices in
    0) wanted=550.54.15 ;;
    1) wanted=$kmd ;;
    esac
    like "$file" "*/libcuda.so.$wanted" "GPU $devices chosen by NVML before libcuda is asked for"
done
finish
