#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A container that was given the nodes and no more: the driver itself says its version, and programs
# get the right one of two real drivers.
# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
kmd=535.261.03
need_drivers $kmd 525.147.05
export STANDIN_WITHOUT=/proc/driver/nvidia:/sys/module/nvidia
export LD_LIBRARY_PATH="$drivers/525.147.05:$drivers/$kmd"
for p in dlopen linked; do
    is "$(word cuInit "$(standin $kmd -- "$programs/init-$p" 2>&1)")" 803 "init-$p, bare"
    is "$(word cuInit "$(preload=$files/libcuarbiter.so standin $kmd -- "$programs/init-$p" 2>&1)")" \
        100 "init-$p, shimmed: the right driver by the driver's own word"
done
finish
