#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter status of a machine that is a root folder.

# shellcheck source=tests/command/status-lib.sh
. "$(dirname "$0")/status-lib.sh"

machines geforce tesla older empty stub wsl bare

verdict 'a GeForce' 0 yes native native --sysroot "$tmp/geforce"
verdict 'what the loader takes, on a data-centre GPU' 0 yes native native --sysroot "$tmp/tesla"
verdict 'an older driver alone' 1 no no-native none --sysroot "$tmp/older"
verdict 'no driver in the image' 1 no no-umd none --sysroot "$tmp/empty"
like "$(echo "$out" | tr -s ' \n' ' ')" '*, but no usable libcuda here. *' 'which need be no container'
verdict 'no kernel driver' 4 no no-driver none --sysroot "$tmp/bare"
run status --sysroot "$tmp/bare"
like "$out" '*What to do *Name the kernel driver of that machine: --kmd VERSION.*' 'a what-if without --kmd: what is missing'
verdict 'a link stub beside it' 0 yes native native --sysroot "$tmp/stub"
LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs run status --json --sysroot "$tmp/stub"
is "$(json '.candidates|map(select(.path|endswith("stubs/libcuda.so")).reason)|join(";")')" link-stub \
    'and listed as one'
verdict 'WSL' 0 yes native native --sysroot "$tmp/wsl"
run status --json --sysroot "$tmp/bare" --env CUDA_VISIBLE_DEVICES=0
is "$(json .visible_note)" 'no GPU that this process can use is known, so CUDA_VISIBLE_DEVICES is not checked' 'a list where no GPU is known'
verdict 'off' 3 unknown policy-off none --sysroot "$tmp/tesla" --policy off
verdict 'policy host' 0 yes policy-host native --sysroot "$tmp/tesla" --policy host
verdict 'policy compat, against the rules' 1 no policy-compat compat --sysroot "$tmp/geforce" --policy compat
verdict 'another kernel driver' 1 no no-native none --sysroot "$tmp/geforce" --kmd 999.1 --unmounted
verdict 'a program that does not need it' 0 yes native native --sysroot "$tmp/tesla" --toolkit 12.2
verdict 'a program too new' 1 no runtime-too-new native --sysroot "$tmp/geforce" --toolkit 13.0
verdict 'a program of a later minor version' 0 yes native native --sysroot "$tmp/geforce" --toolkit 12.4
like "$(echo "$out" | tr -s ' \n' ' ')" "* What to do If the program fails with error 222, its PTX is newer than this driver's CUDA 12.2: *" \
    'what it can still end in'
said() { # OPTION...: the text of status in one line
    run status "$@"
    echo "$out" | tr -s ' \n' ' '
}
like "$(said --kmd 535.161.07 --gpu A100 --toolkit 14.0)" "* Update the host's driver, or use an image with an older CUDA. *" \
    'a CUDA that no table knows: the advice needs no version'
like "$(said --kmd 410.129 --gpu T4 --toolkit 10.2)" '* use an image of CUDA 10.0 or older. *' \
    'before CUDA 11 an image of the same major can be too new'
like "$(said --kmd 535.161.07 --gpu 'RTX 4090' --toolkit 13.0)" \
    "* 'cuarbiter explain 35' shows whether you can add a driver instead. 'cuarbiter driver add' cannot help: *" \
    'where no driver can be added, none is promised'
machine image --compat 550.54.15
verdict 'an unpacked image alone' 1 no no-native none --sysroot "$tmp/image" --kmd 535.161.07 --unmounted --gpu 'NVIDIA GeForce RTX 4090'
verdict 'with the host driver mounted' 0 yes native native --sysroot "$tmp/image" --kmd 535.161.07 --gpu 'NVIDIA GeForce RTX 4090'
verdict 'mounted, on a data-centre GPU' 0 yes native native --sysroot "$tmp/image" --kmd 535.161.07 --gpu 'Tesla T4'
verdict 'mounted, and there already' 0 yes native native --sysroot "$tmp/geforce" --kmd 535.161.07
verdict 'mounted, where nothing is bundled' 0 yes native native --sysroot "$tmp/bare" --kmd 535.161.07 --gpu 'Tesla T4'

# NVIDIA's hook puts a bundled driver first that the image's own search would not take.
hook() { # NAME WANTED OPTION...: code, since, what cuarbiter takes then
    name=$1 wanted=$2
    shift 2
    run status --json "$@"
    is "$(json '.nvidia_hook|if . then [.version, .code, .since, (.chosen|sub(".*/libcuda.so."; "")), .works]|join(" ") else "none" end')" \
        "$wanted" "the hook: $name"
}
hook 'a GeForce' '550.54.15 804 container toolkit 1.17.5 and later 535.161.07 yes' --sysroot "$tmp/image" --kmd 535.161.07 --gpu 'NVIDIA GeForce RTX 4090'
schema "with NVIDIA's hook"
hook 'a data-centre GPU' '550.54.15 0 container toolkit 1.17.5 and later 550.54.15 yes' --sysroot "$tmp/image" --kmd 535.161.07 --gpu 'Tesla T4'
machine elsewhere --host-umd 535.161.07 --compat 550.54.15
hook 'an LD_LIBRARY_PATH goes first' none --sysroot "$tmp/elsewhere" --kmd 535.161.07 --gpu 'Tesla T4' --env LD_LIBRARY_PATH=$lib
hook 'a newer host' none --sysroot "$tmp/image" --kmd 580.95.05 --gpu 'Tesla T4'
hook 'it is taken anyway' none --sysroot "$tmp/image" --kmd 535.161.07 --gpu 'Tesla T4' --env LD_LIBRARY_PATH=$compat
machine noted --compat 575.57.08
hook 'the note has no 545: not from 1.20 on' '575.57.08 803 container toolkit 1.17.5 to 1.19 545.29.06 yes' --sysroot "$tmp/noted" --kmd 545.29.06 --gpu 'Tesla T4'
hook 'within a branch, by the note' '575.57.08 0 container toolkit 1.20 and later 575.57.08 yes' --sysroot "$tmp/noted" --kmd 575.51.03 --gpu 'Tesla T4'
cp -r "$tmp/noted" "$tmp/twice" && touch "$tmp/twice/usr/local/cuda/compat/libcuda.so.550.54.15"
hook 'two of them' none --sysroot "$tmp/twice" --kmd 570.86.15 --gpu 'Tesla T4'
run status --sysroot "$tmp/image" --kmd 535.161.07 --gpu 'NVIDIA GeForce RTX 4090'
like "$out" "*
NVIDIA's hook   804 (550.54.15, bundled)
                in container toolkit 1.17.5 and later; with the hook and cuarbiter: cuInit 0 (535.161.07, *" 'and in words'

# An image's environment, as matrix has it: then nothing of this one counts.
machine apart --host-umd 535.161.07 --compat 550.54.15
status_of() { run status --json --sysroot "$tmp/apart" --kmd 535.161.07 --gpu A100 "$@"; }
status_of
is "$rc $(json .chosen.kind)" '0 native' 'without --env the loader takes the native one'
status_of --env LD_LIBRARY_PATH=$compat
is "$rc $(json '[.chosen.kind, .reason]|join(" ")')" '0 compat kept' '--env LD_LIBRARY_PATH'
LD_LIBRARY_PATH=$compat CUARBITER_POLICY=off status_of --env CUDA_VERSION=12.4
is "$rc $(json '[.chosen.kind, .toolkit.source, .policy.from]|join(" ")')" '0 native CUDA_VERSION default' \
    '--env, and none of this environment'
status_of --env CUARBITER_POLICY=compat
is "$rc $(json '[.chosen.kind, .policy.from]|join(" ")')" '0 compat environment' '--env CUARBITER_POLICY'
schema 'with --env'
run status --sysroot "$tmp/apart" --kmd 535.161.07 --gpu A100 --env LD_PRELOAD=/opt/cuarbiter/libcuarbiter.so
like "$out" '*Without it*Shim *would be loaded by LD_PRELOAD*' '--env LD_PRELOAD: cuarbiter is in the image'
is "$(echo "$out" | grep -c 'not in this image')" 0 'and not missing'
run status --sysroot "$tmp/apart" --kmd 535.161.07 --gpu A100 --env CUDA_VERSION=12.4
like "$out" '*not in this image*' 'without it: missing'
run status --sysroot "$tmp/apart" --kmd 535.161.07 --gpu A100
like "$out" "*not in this image's /etc/ld.so.preload*" 'without --env only the file is known'
run status --sysroot / --kmd 535.161.07 --gpu A100
like "$out" "*not in this image's /etc/ld.so.preload*" '--sysroot /'
if unshare -m true 2>/dev/null; then
    # shellcheck disable=SC2016
    like "$(unshare -m sh -c 'mount -t tmpfs none /proc && "$1" status --kmd 535.161.07 --gpu A100' sh "$cuarbiter")" \
        '*/proc cannot be read, so it is not known whether cuarbiter is*' 'without /proc'
fi
run status --sysroot "$tmp/apart" --program app
is "$rc:$err" '2:cuarbiter: app: with --sysroot, --program takes an absolute path' 'a relative --program'
for file in /etc/passwd /bin; do
    run status --program $file
    is "$rc:$err" "2:cuarbiter: $file: not a program or library that can be loaded here" "--program $file"
done

# No GPU that the kernel driver supports, and none that is visible.
run status --sysroot "$tmp/image" --kmd 535.161.07 --gpu K80
like "$out" "*
NVIDIA's hook   100 (550.54.15, bundled)
                in container toolkit *; with the hook and cuarbiter: 100 (535.161.07, *Every program fails with error 100*" 'a GPU that the kernel driver has dropped'
is "$(echo "$out" | grep -c 'program would get\|POLICY=newest')" 0 'no program is said to get a driver that works'
run status --sysroot "$tmp/tesla" --visible 5
like "$out" 'Now             cuInit 0 if a GPU is visible (535.161.07, the host?s)*' 'no visible GPU'

# A compute capability of no GPU.
for given in "$tmp/bare --kmd 535.161.07 --cc 8.9" "$tmp/bare --cc 8.9" "$tmp/tesla --cc 8.0 --cc 9.0"; do
    # shellcheck disable=SC2086
    run status --sysroot $given
    like "$rc:$out:$err" "2::cuarbiter: status: more --cc than GPUs: name each GPU with --gpu*" "--cc without its GPU: ${given##*/}"
done
run status --json --sysroot "$tmp/tesla" --cc 9.0
is "$rc $(json '.gpus[0].compute_capability')" '0 9.0' '--cc of a GPU that is there'

# A program that only its owner can read.
cp /bin/true "$tmp/closed" && chmod 700 "$tmp/closed"
if [ "$(id -u)" = 0 ] && chmod 755 "$tmp" && setpriv --reuid 65534 --regid 65534 --clear-groups test -r "$cuarbiter" 2>/dev/null; then
    is "$(setpriv --reuid 65534 --regid 65534 --clear-groups "$cuarbiter" status --program "$tmp/closed" 2>&1)" \
        "cuarbiter: $tmp/closed: Permission denied" '--program: a file that cannot be read'
else
    ok '--program: a file that cannot be read # SKIP not root'
fi

# GPUs as people write them.
gpu() { # GIVEN WANTED
    run status --json --kmd 535.161.07 --gpu "$1"
    is "$(json '.gpus[0]|[.model, .brand, .compute_capability]|join(" ")'):$err" "$2:" "--gpu '$1'"
}
gpu T4 'Tesla T4 tesla 7.5'
gpu a100 'A100 nvidia 8.0'
gpu 'RTX 4090' 'GeForce RTX 4090 geforce 8.9'
gpu rtx4090 'GeForce RTX 4090 geforce 8.9'
gpu v100 'Tesla V100 tesla 7.0'
gpu 'nvidia rtx a6000' 'RTX A6000 nvidia-rtx 8.6'
gpu 'NVIDIA H100 80GB HBM3' 'NVIDIA H100 80GB HBM3 nvidia 9.0'
run status --json --kmd 535.161.07 --gpu 'RTX 450'
like "$err" 'cuarbiter: RTX 450: no GPU of this name is known; similar names: *RTX 4500 Ada*' 'one that is near'
run status --json --kmd 535.161.07 --gpu a400
is "$err" 'cuarbiter: a400: no GPU of this name is known; similar names: RTX A400, A100, A40, A800, T400' \
    'also one whose name is part of another'
run status --json --kmd 535.161.07 --gpu A1000000
is "$err" 'cuarbiter: A1000000: no GPU of this name is known' 'no name is put together that no model has'
for name in 'RTX 40900' 'NVIDIA GeForce RTX 40900' 4090; do
    run status --json --kmd 535.161.07 --gpu "$name"
    is "$(json '.gpus[0]|[.brand, .compute_capability]|join(" ")' 2>/dev/null):$err" \
        " :cuarbiter: $name: no GPU of this name is known; similar names: GeForce RTX 4090" "--gpu '$name'"
done

finish_status
