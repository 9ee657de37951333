#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bubblewrap, by which desktop sandboxes start programs: namespaces of their own, a /dev of their own.
# shellcheck source=tests/launchers/lib.sh disable=SC2154
. "$(dirname "$0")/lib.sh"
need_layer bwrap bubblewrap

version=$(machine none bwrap --version 2>/dev/null)
boxed() { # MACHINE BWRAP-ARGUMENT...
    name=$1
    shift
    machine "$name" bwrap --bind / / --dev /dev --dev-bind-try /dev/nvidiactl /dev/nvidiactl \
        --dev-bind-try /dev/nvidia0 /dev/nvidia0 --dev-bind-try /dev/nvidia-uvm /dev/nvidia-uvm "$@" 2>&1
}
shim=/opt/cuarbiter/libcuarbiter.so
for p in dlopen linked; do
    is "$(answers "$(boxed wrong "$programs/init-$p")")" '1 cuInit=803 ' "$version, $p: bare"
    is "$(answers "$(boxed wrong --setenv LD_PRELOAD $shim "$programs/init-$p")")" '1 cuInit=100 ' \
        "$version, $p: --setenv LD_PRELOAD"
    is "$(answers "$(boxed wrong --unshare-pid --proc /proc --ro-bind /proc/driver /proc/driver --as-pid-1 --setenv LD_PRELOAD $shim \
        "$programs/init-$p")")" '1 cuInit=100 ' "$version, $p: as the first process of its own"
    is "$(answers "$(boxed right --setenv LD_PRELOAD $shim "$programs/init-$p")")" '1 cuInit=100 ' \
        "$version, $p: where the driver is right"
done
finish
