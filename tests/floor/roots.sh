#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The three files built here run on older and newer systems.
#
#   roots.sh SHIM ENGINE COMMAND
# shellcheck source=tests/ground/lib.sh
. "$(dirname "$0")/../ground/lib.sh"

need_drivers 535.261.03 555.58.02
for r in bullseye bookworm trixie; do
    need_root $r
done

mkdir "$tmp/cuarbiter" "$tmp/nothing"
cp "$1" "$2" "$3" "$tmp/cuarbiter"
version=$("$3" --version)

# In root $1 on a machine with a kernel driver 535, with the shim. The image's libcuda is 555; the
# host's is found behind it.
shimmed() {
    r=$1
    shift
    in_root "$r" env STANDIN_KMD=535.261.03 \
        LD_LIBRARY_PATH=/mnt/cache/drivers/555.58.02:/mnt/cache/drivers/535.261.03 \
        LD_PRELOAD="/mnt/ground/libstandin.so /mnt/tmp/cuarbiter/libcuarbiter.so" "$@" 2>&1
}

for r in bullseye bookworm trixie; do
    is "$(in_root $r /mnt/tmp/cuarbiter/cuarbiter --version 2>&1)" "$version" "$r: the command starts"
    in_root $r /mnt/tmp/cuarbiter/cuarbiter status --sysroot /mnt/tmp/nothing >/dev/null 2>&1 &&
        code=0 || code=$?
    is "$code" 4 "$r: status finds no driver"
    is "$(in_root $r env LD_PRELOAD=/mnt/tmp/cuarbiter/libcuarbiter.so /bin/sh -c 'echo here' 2>&1)" \
        here "$r: a program without CUDA runs as ever"
    for p in dlopen linked plugin; do
        is "$(word cuInit "$(shimmed $r /mnt/ground/programs/init-$p)")" 100 "$r: init-$p"
    done
done
finish
