#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# real.sh real: each call of the program that the shim makes fails in turn beside real drivers, on a
# machine of scripts/machine: a newer one is first in ld.so.cache and answers 803, with the shim it is
# 100. real-trial: with a GPU that no table knows. TAP, and a row of the table.
# shellcheck source=tests/fixtures/lib.sh disable=SC2154
. "$(dirname "$0")/../fixtures/lib.sh"

reason=$("$tree/scripts/machine" --check) || cannot "$reason"
need_drivers 535.261.03 555.58.02
gpu='NVIDIA GeForce RTX 3090'
[ "$1" = real ] || gpu='NVIDIA Unknown 9999'
"$tree/scripts/machine" --gpu "$gpu" wrong -- python3 "$tree/tests/faults/calls.py" "$1"
