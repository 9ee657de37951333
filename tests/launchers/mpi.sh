#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Open MPI: two ranks, with the variable as docs/multi-node.md says it, and without.
# shellcheck source=tests/launchers/lib.sh disable=SC2154
. "$(dirname "$0")/lib.sh"
need_layer mpi openmpi-bin libopenmpi-dev

version=$(machine none mpirun --version 2>/dev/null | head -n 1)
ranks() { # MACHINE MPIRUN-ARGUMENT...
    name=$1
    shift
    machine "$name" mpirun --allow-run-as-root --oversubscribe -n 2 "$@" 2>&1
}
shim=/opt/cuarbiter/libcuarbiter.so
for p in dlopen linked; do
    is "$(answers "$(ranks wrong "$programs/init-$p")")" '2 cuInit=803 ' "$version, $p: bare"
    is "$(answers "$(ranks wrong -x LD_PRELOAD=$shim "$programs/init-$p")")" '2 cuInit=100 ' \
        "$version, $p: -x LD_PRELOAD"
    is "$(answers "$(ranks right -x LD_PRELOAD=$shim "$programs/init-$p")")" '2 cuInit=100 ' \
        "$version, $p: where the driver is right"
done
is "$(answers "$(machine wrong env LD_PRELOAD=$shim mpirun --allow-run-as-root --oversubscribe -n 2 \
    "$programs/init-linked" 2>&1)")" '2 cuInit=100 ' 'mpirun itself under the shim'
finish
