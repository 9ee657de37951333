#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter trial: what it says and how it ends.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
may_lack jq


run trial "$odd"
is "$rc:$err" 0: 'cuInit answers 0'
like "$out" "$odd: initialises: cuInit = 0 CUDA_SUCCESS
  CUDA 12.4, 2 devices, lowest compute capability 7.5" 'says so, with devices'

export ODD=803
run trial "$odd"
is "$rc" 1 'cuInit answers 803'
like "$out" '*cuInit = 803 CUDA_ERROR_SYSTEM_DRIVER_MISMATCH*older than the kernel driver*' 'its name and meaning'
run trial --json "$odd"
is "$rc:$(json '[.result, .code, .name, .step, .driver_version, .devices]|@csv')" \
    '1:"answered",803,"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH","cuInit",12040,' 'as JSON'

ODD=4321
run trial "$odd"
like "$out" '*cuInit = 4321 (unknown)*' 'a code that nobody knows'

ODD=hang
before=$(date +%s)
run trial --timeout 1 "$odd"
is "$rc" 3 'no answer'
like "$out" '*no answer in 1 s (in cuInit)*' 'says where'
is "$(($(date +%s) - before < 5))" 1 'in time'
run trial --timeout 1 --json "$odd"
is "$(json '[.result, .code, .step, .left_behind]|@csv')" '"timeout",,"cuInit",false' 'as JSON'

ODD=crash
run trial "$odd"
is "$rc" 1 'a driver that crashes'
like "$out" '*could not be tried: the child process that tried it ended by signal 6 (in cuInit)*' 'says so'

unset ODD

run trial /etc/passwd
is "$rc" 1 'no library'
like "$out" '*could not be tried: */etc/passwd: *(in dlopen)' 'why'
run trial /nonexistent
is "$rc" 2 'no file'
is "$err" 'cuarbiter: /nonexistent: No such file or directory' 'what: why'
run trial "$tmp"
is "$rc:$err" "1:cuarbiter: $tmp: a folder" 'a folder'
mkfifo "$tmp/fifo"
before=$(date +%s)
run trial "$tmp/fifo"
is "$rc:$err" "1:cuarbiter: $tmp/fifo: not a regular file" 'a FIFO'
is "$(($(date +%s) - before < 5))" 1 'is not opened'

# Companions come from the file's folder, before LD_LIBRARY_PATH.
make_root "$tmp/root" --kmd 535.161.07 --host-umd 535.161.07 --compat 550.54.15 \
    --gpu 'NVIDIA A100-SXM4-80GB' --cc 8.0 >/dev/null
export CUARBITER_SYSROOT="$tmp/root"
host=$tmp/root/usr/lib/$(uname -m)-linux-gnu
LD_LIBRARY_PATH=$host run trial "$tmp/root/usr/local/cuda/compat/libcuda.so.1"
is "$rc" 0 'a compat of a listed branch on a data-centre GPU'
like "$out" '*cuInit = 0*' 'initialises'
printf 'geforce|8.9|||NVIDIA GeForce RTX 4090\n' >"$tmp/root/fake-gpus"
run trial "$tmp/root/usr/local/cuda/compat/libcuda.so.1"
is "$rc" 1 'the same on a GeForce'
like "$out" '*cuInit = 804 CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE*' '804'
run trial "$host/libcuda.so.1"
is "$rc" 0 "the host's own there"

# Under the shim, and with a preload that cannot be loaded: the child has neither.
LD_PRELOAD=$files/libcuarbiter.so CUARBITER_POLICY=compat run trial "$host/libcuda.so.1"
is "$rc" 0 'this exact file, under the shim too'
unset CUARBITER_SYSROOT

# A folder with another system's libc is no place to take libraries from.
if [ -e "$roots/bullseye/.complete" ]; then
    mkdir "$tmp/old"
    cp "$odd" "$tmp/old/libcuda.so.1"
    cp "$roots"/bullseye/lib/x86_64-linux-gnu/libc-2.31.so "$tmp/old/libc.so.6"
    run trial "$tmp/old/libcuda.so.1"
    is "$rc" 0 'beside a libc of another system'
fi

for v in 450.248.02 535.261.03 550.163.01; do
    [ -e "$drivers/$v/libcuda.so.1" ] || continue
    run trial "$drivers/$v/libcuda.so.1"
    like "$out" "*libcuda.so.$v: does not initialise: cuInit = *" "the real $v answers"
    MARK=$tmp/injected-$v CUDA_INJECTION64_PATH=$built/marker.so run trial "$drivers/$v/libcuda.so.1"
    is "$(ls "$tmp/injected-$v" 2>&1)" "ls: cannot access '$tmp/injected-$v': No such file or directory" \
        'and loads no injection'
done

finish
