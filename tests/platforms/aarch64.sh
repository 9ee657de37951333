#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job on aarch64, under qemu: the image's libcuda is newer than the kernel driver, the
# host's lies behind it. qemu-user starts no program of another machine, so nobody can be asked there,
# and programs go on as bare: what is shown is that the shim of this machine is loaded and does no harm.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

[ -n "$emulator" ] || cannot 'not a cross build'
arm=$cua_cache/drivers-arm64
for v in 535.261.03 550.163.01; do
    [ -e "$arm/$v/.complete" ] || skip "no real arm64 driver $v: scripts/fetch-drivers --arch arm64"
done
install_files "$tmp/cuarbiter"

answer() { # PRELOAD PROGRAM
    # shellcheck disable=SC2086
    word cuInit "$(LD_LIBRARY_PATH=$arm/550.163.01:$arm/535.261.03 STANDIN_KMD=535.261.03 STANDIN_ROOT="$geforce" \
        LD_PRELOAD=$1 $emulator "$programs/$2" 2>&1)"
}

for p in dlopen plugin default getproc; do
    is "$(answer "$fixtures/libstandin.so" init-$p)" 803 "init-$p, bare"
    is "$(answer "$fixtures/libstandin.so:$tmp/cuarbiter/libcuarbiter.so" init-$p)" 803 \
        "init-$p, shimmed: as bare"
done
# shellcheck disable=SC2086
is "$($emulator "$tmp/cuarbiter/cuarbiter" --version | head -n 1)" \
    "cuarbiter $(sed -n "s/^ *version: '\(.*\)',/\1/p" "$tree/meson.build" | head -n 1)" \
    'the command starts'
finish
