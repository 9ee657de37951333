#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The three files built here run on older and newer systems.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

need_drivers 535.261.03 555.58.02
for r in bullseye bookworm trixie; do
    need_root $r
done

mkdir "$tmp/nothing"
install_files "$tmp/cuarbiter"
version=$("$command" --version)

make_root "$tmp/fake" --kmd 535.161.07 --gpu 'NVIDIA GeForce RTX 4090' --host-umd 535.161.07 \
    --compat 550.54.15 >/dev/null
chmod 755 "$tmp"
real_kernel=$(kernel_files 535.261.03) fake_kernel=$(kernel_files 535.161.07 "$tmp/fake")
standin=/mnt/fixtures/libstandin.so
shim=/mnt/tmp/cuarbiter/libcuarbiter.so

# In root $1 on a machine with a kernel driver 535, with the preloads $2. The image's libcuda is
# newer; the host's is found behind it.
real() {
    r=$1 preload=$2
    shift 2
    kernel_driver=$real_kernel in_root "$r" env STANDIN_KMD=535.261.03 STANDIN_ROOT=/mnt/tree/tests/fixtures/geforce \
        LD_LIBRARY_PATH=/mnt/cache/drivers/555.58.02:/mnt/cache/drivers/535.261.03 \
        LD_PRELOAD="$preload" "$@" 2>&1
}

# The same with fakes and a GeForce.
fake() {
    r=$1 preload=$2 fake=/mnt/tmp/fake
    shift 2
    kernel_driver=$fake_kernel in_root "$r" env STANDIN_KMD=535.161.07 STANDIN_ROOT=$fake FAKE_ROOT=$fake \
        LD_LIBRARY_PATH="$fake/usr/local/cuda/compat:$fake/usr/lib/$(uname -m)-linux-gnu" \
        LD_PRELOAD="$preload" "$@" 2>&1
}

for r in bullseye bookworm trixie; do
    is "$(in_root $r /mnt/tmp/cuarbiter/cuarbiter --version 2>&1)" "$version" "$r: the command starts"
    in_root $r /mnt/tmp/cuarbiter/cuarbiter status --sysroot /mnt/tmp/nothing >/dev/null 2>&1 &&
        code=0 || code=$?
    is "$code" 4 "$r: status finds no driver"
    is "$(in_root $r env LD_PRELOAD=/mnt/tmp/cuarbiter/libcuarbiter.so /bin/sh -c 'echo here' 2>&1)" \
        here "$r: a program without CUDA runs as ever"
    for p in dlopen linked plugin; do
        program=/mnt/fixtures/programs/init-$p
        is "$(word cuInit "$(real $r $standin $program)")" 803 "$r: init-$p, bare"
        is "$(word cuInit "$(real $r "$standin $shim" $program)")" 100 "$r: init-$p"
        is "$(word cuInit "$(fake $r $standin $program)")" 804 "$r: init-$p, fake drivers, bare"
        is "$(word cuInit "$(fake $r "$standin $shim" $program)")" 0 "$r: init-$p, fake drivers"
    done
done
finish
