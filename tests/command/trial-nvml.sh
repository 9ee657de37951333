#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program whose GPUs only NVML knows: whatever that does, it does it in a child.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"

odd=$built/odd-driver.so
make_root "$tmp/root" --kmd 535.161.07 --host-umd 535.161.07 --compat 550.54.15 \
    --gpu 'NVIDIA Unheard-of 1' --brand 2 --cc 9.0 >/dev/null
export CUARBITER_SYSROOT="$tmp/root" FAKE_ROOT="$tmp/root" CUARBITER_LOG=debug
export LD_LIBRARY_PATH="$tmp/root/usr/local/cuda/compat" CUDA_VERSION=12.4
lib=$tmp/root/usr/lib/$(uname -m)-linux-gnu

# ODD SECONDS: the program under the shim, from a cold start, where NVML does this
with() {
    rm -rf "$XDG_RUNTIME_DIR/cuarbiter"
    before=$(date +%s)
    line=$(ODD=$1 CUARBITER_TRIAL_TIMEOUT=2 LD_PRELOAD=$files/libcuarbiter.so \
        "$programs/init-dlopen" 2>"$tmp/log")
    rc=$?
    is "$rc:$(word cuInit "$line"):$(printf '%s\n' "$line" | wc -l)" 0:0:1 \
        "NVML: $1: the program goes on, and says what it says without"
    is "$(($(date +%s) - before <= $2))" 1 "NVML: $1: in time"
}

with ok 5
like "$(word maps "$line")" '*/libcuda.so.550.54.15' "a GPU whose brand NVML's own answer names"
for name in "$lib"/libnvidia-ml.so*; do
    ln -sf "$odd" "$name"
done
for what in hang spin stop crash exit exit-well fork fork-session; do
    with $what 5
done
with ok 5
is "$(grep -c 'Odd' "$tmp/log")" 0 'what it prints is nowhere'
CUARBITER_TRIAL=never with hang 1
is "$(grep -c 'tried in a child' "$tmp/log")" 0 'never: it is not asked'
# Without NVML in the program there is nothing of it to map.
LD_DEBUG=files ODD=ok LD_PRELOAD=$files/libcuarbiter.so "$programs/init-dlopen" 2>"$tmp/log" >/dev/null
is "$(grep -c 'file=.*libnvidia-ml' "$tmp/log")" 0 'it is not loaded into the program'
finish
