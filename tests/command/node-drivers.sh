#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter node check: the drivers that were brought to the node, and which programs in containers can
# get them. Nodes are folders with the files of a kernel driver; the drivers are fakes.

# shellcheck source=tests/command/driver-lib.sh
. "$(dirname "$0")/driver-lib.sh"
need_tool jq

node=$tmp/node packages=/var/lib/cuarbiter/drivers
new() { # KMD GPU [SWITCH...]: a node, without drivers
    rm -rf "$node"
    kmd=$1 gpu=$2
    shift 2
    make_root "$node" --kmd "$kmd" --host-umd "$kmd" --gpu "$gpu" "$@" >/dev/null
    mkdir -p "$node/var/lib/cuarbiter"
}
brings() { # VERSION [MAKE-ROOT-SWITCHES]
    rm -rf "$tmp/nv"
    layout "$1" "$tmp/nv" compat "${2:-}"
    run driver --store "$node$packages" add --yes "$tmp/nv"
}
check() { # what it says about drivers, in $out, and as JSON in $json
    run node check --sysroot "$node" --json
    json=$(echo "$out" | jq -c .store)
    run node check --sysroot "$node"
    out=$(echo "$out" | sed -n '/drivers in\|get no driver/,$p')
}
head="drivers in $node$packages, for GPU containers without a Linux capability that could open the node's files:"
of() { # TEXT NAME: of the one driver
    check
    is "$out" "$head
    $1" "$2"
}

new 535.161.07 'NVIDIA A100-SXM4-80GB'
check
is "$out:$json" ':null' 'nothing was brought'
brings 590.48.01
brings 580.95.05
brings 570.86.15
check
is "$out" "$head
    570.86.15, CUDA 12.8: for none: the node's own has CUDA 12.2, which starts programs of CUDA 12
    580.95.05, CUDA 13.0: for programs of CUDA 13
    590.48.01, CUDA 13.1: for programs of CUDA 13" 'each by its version'
is "$(echo "$json" | jq -c '[.folder, .trouble, (.drivers[] | [.version, .cuda, .usable, .programs, .why])]')" \
    "[\"$node$packages\",null,[\"570.86.15\",\"12.8\",\"no\",[],\"the node's own has CUDA 12.2, which starts programs of CUDA 12\"],[\"580.95.05\",\"13.0\",\"yes\",[13],null],[\"590.48.01\",\"13.1\",\"yes\",[13],null]]" \
    'as JSON'
run driver --store "$node$packages" remove 580.95.05 570.86.15
check
like "$out" '*580.95.05: for none: it was removed, or it is not complete
*590.48.01, CUDA 13.1: for programs of CUDA 13' 'one that was removed'
chmod o+w "$node$packages/590.48.01/libcuda.so.590.48.01"
check
like "$out" '*590.48.01: for none: libcuda.so.590.48.01: users other than root, you and the store?s owner could change it' 'one that others can write'
chmod o+w "$node$packages"
check
is "$out" "containers get no driver from $node$packages: not used: users other than its owner can change it" 'a store that others can write'
is "$(echo "$json" | jq -c '[.trouble, .drivers]')" '["not used: users other than its owner can change it",[]]' 'as JSON'

# The node's kernel driver and GPUs.
new 560.35.05 'NVIDIA A100-SXM4-80GB'
brings 580.95.05
check
like "$out" '*580.95.05, CUDA 13.0: for none: 580.95.05 does not run on kernel driver branch 560 * (newer-branch)' 'not for this kernel driver'
new 580.95.05 'NVIDIA A100-SXM4-80GB'
brings 570.86.15
of "570.86.15, CUDA 12.8: for none: the node's own is as new or newer" 'an older one'
new 535.161.07 'NVIDIA GeForce RTX 4090'
brings 580.95.05
check
like "$out" '*580.95.05, CUDA 13.0: for none: * does not support forward compatibility (newer-brand)' 'a GeForce'
new 535.161.07 'Tesla V100-SXM2-32GB'
brings 590.48.01
brings 580.95.05
check
like "$out" '*580.95.05, CUDA 13.0: for programs of CUDA 13
*590.48.01, CUDA 13.1: for none: *supports compute capability 7.5 and later* (newer-cc)' 'a V100'
new 550.54.15 'NVIDIA A100-SXM4-80GB'
brings 580.95.05 nonote
check
like "$out" '*580.95.05, CUDA 13.0: for none: *shows that it runs on kernel driver 550.54.15 and these GPUs (brought-unproven)' 'nothing shows that it runs'
printf '550.54.15\t80\truns\tNVIDIA A100-SXM4-80GB\n' >"$node$packages/580.95.05.runs"
of '580.95.05, CUDA 13.0: for programs of CUDA 13' 'what driver try has found'
rm "$node$packages/580.95.05.runs"
rm -r "$node/proc/driver/nvidia/gpus"
is "$(check; echo "$json" | jq -r '.drivers[].usable')" unknown 'the GPUs are not known'
rm -rf "${node:?}/proc" "${node:?}/dev" "${node:?}/sys" "${node:?}/lib" "${node:?}/usr"
of '580.95.05, CUDA 13.0: not known: the CUDA version of the node'\''s kernel driver is not known' 'a node without its kernel driver'
new 535.161.07 'NVIDIA A100-SXM4-80GB'
brings 580.95.05
rm "$node$packages/580.95.05/libnvidia-ptxjitcompiler.so"*
check
like "$out" '*580.95.05, CUDA 13.0: for none: libnvidia-ptxjitcompiler.so.580.95.05 is missing from its folder' 'without its PTX compiler'
rm -rf "$node"
make_root "$node" --wsl --host-umd 535.161.07 >/dev/null
brings 580.95.05
of "580.95.05, CUDA 13.0: for none: programs on WSL and Tegra keep the node's own" 'WSL'

# A store beside the files, whose folder is a link of the node; and that of this machine.
new 535.161.07 'NVIDIA A100-SXM4-80GB'
brings 580.95.05
mkdir "$node/opt"
mv "$node$packages" "$node/opt/drivers"
ln -s /opt "$node/srv"
run node check --sysroot "$node" --dir /srv
like "$out" "*drivers in $node/opt/drivers, *" 'beside the files'
layout 580.95.05 "$tmp/nv"
run driver add --yes "$tmp/nv"
run node check --json
is "$(json '.store | [.folder, .drivers[0].version] | join(" ")')" "$files/drivers 580.95.05" 'of this machine'
finish
