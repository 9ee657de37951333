#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The ground built here runs on older and newer systems: stand-in, programs, real drivers.
# shellcheck source=tests/ground/lib.sh
. "$(dirname "$0")/lib.sh"

need_drivers 535.261.03 555.58.02
need_cudart 11.8.89
for r in bullseye bookworm trixie; do
    need_root $r
done

# $1 root, $2 UMD, the rest: program and arguments
on_535() {
    r=$1 umd=$2
    shift 2
    in_root "$r" env LD_LIBRARY_PATH="/mnt/cache/drivers/$umd" STANDIN_KMD=535.261.03 \
        LD_PRELOAD=/mnt/ground/libstandin.so "$@" 2>&1
}

mkdir -p "$tmp/bundled"
cp "$programs/init-rpath" "$tmp"
cp "$drivers/555.58.02/libcuda.so.555.58.02" "$tmp/bundled/libcuda.so.1"

for r in bullseye bookworm trixie; do
    for p in dlopen linked plugin default getproc; do
        got=$(word cuInit "$(on_535 $r 535.261.03 /mnt/ground/programs/init-$p)")
        got="$got $(word cuInit "$(on_535 $r 555.58.02 /mnt/ground/programs/init-$p)")"
        is "$got" '100 803' "$r: init-$p"
    done
    is "$(word cuInit "$(on_535 $r 535.261.03 /mnt/tmp/init-rpath)")" 803 "$r: init-rpath"
    got=$(word nvmlInit_v2 "$(on_535 $r 535.261.03 /mnt/ground/programs/init-ml)")
    got="$got $(word nvmlInit_v2 "$(on_535 $r 555.58.02 /mnt/ground/programs/init-ml)")"
    is "$got" '0 18' "$r: init-ml"
    set -- /mnt/ground/programs/init-cudart /mnt/cache/cudart/11.8.89/libcudart.so.11.0
    got=$(word cudaGetDeviceCount "$(on_535 $r 535.261.03 "$@")")
    got="$got $(word cudaGetDeviceCount "$(on_535 $r 555.58.02 "$@")")"
    is "$got" '100 803' "$r: init-cudart"
done
finish
