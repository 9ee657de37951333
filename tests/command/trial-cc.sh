#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A driver that initialises on a GPU whose compute capability it no longer supports: the trial sees
# the capability where facts and NVML do not tell it.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
need_tool jq

# CC: of the GPU, whose model nobody knows and whose NVML is missing
machine() {
    make_root "$tmp/$1" --kmd 580.95.05 --host-umd 580.95.05,noml --compat 595.45.04 \
        --gpu 'NVIDIA Something Unheard Of' --cc "$1" --brand 14 >/dev/null
    export CUARBITER_SYSROOT="$tmp/$1" LD_LIBRARY_PATH=/usr/local/cuda/compat
}

machine 8.0
run status --json
is "$rc:$(json '[.reason, .chosen.version]|join(" ")')" '0:kept-tried 595.45.04' 'tried, and it works'
machine 7.0
run status --json
is "$rc:$(json '[.reason, .chosen.version]|join(" ")')" '0:native 580.95.05' 'tried, and the GPU is too old for it'
is "$(json '.candidates[]|select(.version == "595.45.04").reason')" newer-cc 'the reason'
is "$(json '.gpus[0]|[.compute_capability, .source]|join(" ")')" '7.0 trial' 'from the trial'
rm -r "$tmp/7.0/proc/driver/nvidia/gpus"
rm -r "$XDG_RUNTIME_DIR/cuarbiter"
run status --json
is "$rc:$(json '[.reason, .chosen.version, (.gpus|length)]|join(" ")')" '0:native 580.95.05 1' \
    'the same where no GPU is listed'

finish
