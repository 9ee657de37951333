#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job on aarch64, under qemu: the image's libcuda is newer than the kernel driver, the
# host's lies behind it. 999 is what the real one answers on the stand-in where it is the right one.
#
#   aarch64.sh SHIM ENGINE COMMAND
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

[ -n "${MESON_EXE_WRAPPER:-}" ] || cannot 'not a cross build'
arm=$cua_cache/drivers-arm64
for v in 535.261.03 550.163.01; do
    [ -e "$arm/$v/.complete" ] || skip "no real arm64 driver $v: scripts/fetch-drivers --arch arm64"
done
mkdir "$tmp/cuarbiter"
cp "$1" "$2" "$3" "$tmp/cuarbiter"

answer() { # PRELOAD PROGRAM
    # shellcheck disable=SC2086
    word cuInit "$(LD_LIBRARY_PATH=$arm/550.163.01:$arm/535.261.03 STANDIN_KMD=535.261.03 \
        LD_PRELOAD=$1 $MESON_EXE_WRAPPER "$programs/$2" 2>&1)"
}

for p in dlopen plugin default getproc; do
    is "$(answer "$fixtures/libstandin.so" init-$p)" 803 "init-$p, bare"
    is "$(answer "$fixtures/libstandin.so:$tmp/cuarbiter/libcuarbiter.so" init-$p)" 999 \
        "init-$p, shimmed"
done
# shellcheck disable=SC2086
is "$($MESON_EXE_WRAPPER "$tmp/cuarbiter/cuarbiter" --version | head -n 1)" \
    "cuarbiter $(sed -n "s/^ *version: '\(.*\)',/\1/p" "$tree/meson.build" | head -n 1)" \
    'the command starts'
finish
