#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# On a machine whose own NVML counts no GPU a newer driver has nothing to offer: NVML is asked, and
# no driver is tried in a child.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

need_drivers 535.261.03 555.58.02
mkdir "$tmp/home" "$tmp/run" "$tmp/cuda"
# As a toolkit's compat package, which an ordinary newer driver is not taken for.
ln -s "$drivers/555.58.02" "$tmp/cuda/compat"
install_files "$tmp/home"
export LD_LIBRARY_PATH="$tmp/cuda/compat:$drivers/535.261.03" XDG_RUNTIME_DIR="$tmp/run"
export CUARBITER_LOG=debug
preload=$tmp/home/libcuarbiter.so
line=$(standin 535.261.03 -- "$programs/init-dlopen" 2>"$tmp/log")
is "$(word cuInit "$line")" 100 'the native driver is chosen'
is "$(grep -c ': nvml: ' "$tmp/log")" 1 'NVML was asked, once'
is "$(grep -c ': trial: ' "$tmp/log")" 0 'no driver was tried'
finish
