#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# On a machine whose own NVML counts no GPU no driver can show anything: NVML is asked, and
# no driver is tried in a child.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

mkdir "$tmp/home" "$tmp/run"
install_files "$tmp/home"
make_root "$tmp/root" --kmd 535.161.07 --host-umd 535.161.07 --compat 550.54.15 >/dev/null
export CUARBITER_SYSROOT="$tmp/root" FAKE_ROOT="$tmp/root" XDG_RUNTIME_DIR="$tmp/run"
export LD_LIBRARY_PATH="$tmp/root/usr/local/cuda/compat" CUARBITER_LOG=debug
line=$(LD_PRELOAD="$tmp/home/libcuarbiter.so" "$programs/init-dlopen" 2>"$tmp/log")
like "$(word maps "$line")" '*/libcuda.so.550.54.15' "the loader's choice stays"
is "$(grep -c ': nvml: .*: initialises' "$tmp/log")" 1 'NVML was asked, once'
is "$(grep -c ': trial: .*: NVML reports no GPU' "$tmp/log")" 1 'no driver was tried'
finish
