#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A user without root, in Apptainer: a program that ends in 35 runs with a driver that the user brought,
# beside the files or in the user's own store. Drivers and the CUDA runtime are fakes.
# shellcheck source=tests/launchers/apptainer-lib.sh disable=SC2154
# shellcheck disable=SC2034,SC2086
. "$(dirname "$0")/apptainer-lib.sh"
need_root bookworm
. "$(dirname "$0")/../fixtures/brought.sh"
as_user='setpriv --reuid=1000 --regid=1000 --clear-groups'
$as_user unshare -Ur true 2>/dev/null || skip 'no user namespaces for everybody here'

kmd=535.161.07 lib=/usr/lib/$(uname -m)-linux-gnu
make_root "$tmp/machine" --kmd "$kmd" --gpu 'NVIDIA A100-SXM4-80GB' --host-umd "$kmd" >/dev/null
mkdir -p "$tmp/user" "$tmp/empty"
home=$tmp/user/dist
cp -r "$tmp/files" "$home"
bring 590.48.01 branches=535,550,570,575,580,590
mkdir -p "$tmp/user/.local/share/cuarbiter"
chmod -R a+rX "$tmp/machine" "$tmp/app"
image=$roots/bookworm
brought=libcuda.so.590.48.01

# What the program says, to a user 1000 whose home is $tmp/user.
run() { # VARIABLE...
    chown -R 1000:1000 "$tmp/user"
    on_machine none $as_user env HOME="$tmp/user" XDG_RUNTIME_DIR= \
        apptainer exec --userns --pwd / --home "$tmp/user" --bind "$tmp/machine:/machine:ro" --bind "$tmp/app:/app:ro" \
        --bind "$home:/opt/cuarbiter:ro" --env CUARBITER_SYSROOT=/machine,FAKE_ROOT=/machine \
        --env "LD_LIBRARY_PATH=/machine$lib" "$@" /image /app/program /app/libcudart.so.13 2>"$tmp/err"
}
shim=LD_PRELOAD=/opt/cuarbiter/libcuarbiter.so
ends="35 /machine$lib/libcuda.so.$kmd"
is "$(run --env A=1)" "$ends" 'bare'
is "$(run --env $shim)" "0 /opt/cuarbiter/drivers/590.48.01/$brought" 'beside the files'
is "$(run --env $shim --env CUARBITER_DRIVERS=no)" "$ends" 'the user wants none'
mv "$home/drivers" "$tmp/user/.local/share/cuarbiter/drivers"
is "$(run --env $shim)" "0 $tmp/user/.local/share/cuarbiter/drivers/590.48.01/$brought" "in the user's own store"
chmod o+w "$tmp/user"
is "$(run --env $shim)" "$ends" 'in a folder that others can write'
chmod o-w "$tmp/user"
$as_user "$home/cuarbiter" driver --store "$tmp/user/.local/share/cuarbiter/drivers" remove 590.48.01 >/dev/null
is "$(run --env $shim)" "$ends" 'removed again'
finish
