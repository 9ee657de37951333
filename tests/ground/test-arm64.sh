#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same on aarch64, run by qemu: cross-built stand-in, fakes, and the real arm64 driver.
# shellcheck source=tests/ground/lib.sh
. "$(dirname "$0")/lib.sh"

need_tool aarch64-linux-gnu-gcc qemu-aarch64-static
sysroot=${CUARBITER_ARM64_SYSROOT:-/usr/aarch64-linux-gnu}
[ -e "$sysroot/lib/ld-linux-aarch64.so.1" ] || skip "no libc for aarch64 in $sysroot"

arm=$tmp/arm
CC=aarch64-linux-gnu-gcc "$tree/tests/ground/build" "$arm"
CUARBITER_GROUND=$arm "$tree/tests/ground/fake/make-root" "$tmp/root" --kmd 535.261.03 \
    --host-umd 535.261.03 --compat 575.57.08 --gpu 'NVIDIA GeForce RTX 4090' >/dev/null

# $1 library folder, $2 preload, the rest: program
arm() {
    path=$1 pre=$2
    shift 2
    qemu-aarch64-static -L "$sysroot" -E LD_LIBRARY_PATH="$path" -E LD_PRELOAD="$pre" \
        -E FAKE_ROOT="$tmp/root" -E STANDIN_KMD=535.261.03 "$@" 2>&1
}

for p in dlopen linked plugin default getproc; do
    got=$(word cuInit "$(arm "$tmp/root/usr/lib/aarch64-linux-gnu" '' "$arm/programs/init-$p")")
    got="$got $(word cuInit "$(arm "$tmp/root/usr/local/cuda/compat" '' "$arm/programs/init-$p")")"
    is "$got" '0 804' "fakes: init-$p"
done
real=$cua_cache/drivers-arm64
if [ -e "$real/535.261.03/.complete" ] && [ -e "$real/550.163.01/.complete" ]; then
    # Where the versions agree the real one gets further than the stand-in can play: 999.
    set -- "$arm/libstandin.so" "$arm/programs/init-dlopen"
    is "$(word cuInit "$(arm "$real/535.261.03" "$@")")" \
        999 'real arm64 driver, its own version'
    is "$(word cuInit "$(arm "$real/550.163.01" "$@")")" \
        803 'real arm64 driver, another version'
fi
finish
