#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter status where LD_LIBRARY_PATH names the driver that the image brings.

# shellcheck source=tests/command/status-lib.sh
. "$(dirname "$0")/status-lib.sh"

machines geforce tesla note
export LD_LIBRARY_PATH="$compat"

verdict 'the bundled one, on a data-centre GPU' 0 yes kept compat --sysroot "$tmp/tesla"
verdict 'a driver with a note' 0 yes kept compat --sysroot "$tmp/note"
verdict 'the bundled one, on a GeForce' 0 yes native native --sysroot "$tmp/geforce"
verdict 'another GPU' 0 yes kept compat --sysroot "$tmp/geforce" --gpu 'NVIDIA A100-SXM4-80GB'
verdict 'a GPU too old' 0 yes native native --sysroot "$tmp/note" --gpu 'Tesla V100-SXM2-16GB' --cc 7.0
verdict 'a GPU hidden' 0 yes kept compat --sysroot "$tmp/tesla" \
    --gpu 'NVIDIA A100-SXM4-80GB' --gpu 'NVIDIA A100-SXM4-80GB' --visible 0
verdict 'a GPU that nobody knows' 3 unknown undecided compat --sysroot "$tmp/tesla" --gpu 'Unheard Of'
run status --json --sysroot "$tmp/tesla" --gpu 'Unheard Of'
is "$err" 'cuarbiter: Unheard Of: no GPU of this name is known' 'and says so'

finish_status
