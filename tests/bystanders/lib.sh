# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154
# For the scripts beside it, after fixtures/lib.sh: the three states of a machine, bare and shimmed.
#
#   make_states   the files to preload, and a root for each state but the first
#   in_state STATE bare|shimmed COMMAND...
#     none:  no NVIDIA, but for what this machine has
#     right: a kernel driver and its own libcuda
#     wrong: a GeForce, and before the host's libcuda a bundled newer one, which does not work there

states='none right wrong'
compat=/usr/local/cuda/compat
gpu='NVIDIA GeForce RTX 4090'

make_states() {
    install_files "$tmp/cuarbiter"
    make_root "$tmp/right" --kmd 535.261.03 --host-umd 535.261.03 --gpu "$gpu" >/dev/null
    make_root "$tmp/wrong" --kmd 535.261.03 --host-umd 535.261.03 --compat 550.163.01 \
        --gpu "$gpu" >/dev/null
}

in_state() {
    (
        [ "$1" = none ] || export CUARBITER_SYSROOT="$tmp/$1"
        # As ld.so sees it, and as cuarbiter sees it.
        [ "$1" != wrong ] || export LD_LIBRARY_PATH="$tmp/wrong$compat:$compat"
        [ "$2" = bare ] || export LD_PRELOAD="$tmp/cuarbiter/libcuarbiter.so"
        shift 2
        exec "$@"
    )
}
