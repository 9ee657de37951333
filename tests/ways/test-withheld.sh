#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# GPUs that the machine has and this process cannot open: a device cgroup, as Slurm's ConstrainDevices
# and containers set one up, or a node of mode 0600. Only the others count, also for kept answers.
# On a /dev and a /proc/driver of its own, with fake drivers that judge by what they can open.
# shellcheck disable=SC2086 # a command and its arguments
CUARBITER_MKNOD=kept
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || cannot 'not root'
may_lack jq
kmd=535.161.07
group=/sys/fs/cgroup/devices/cuarbiter-test-$$
machine=$tmp/machine
export XDG_RUNTIME_DIR="$tmp/run"
native=$machine/usr/lib/$(uname -m)-linux-gnu
chmod 755 "$tmp"

# Index 0 is a GeForce, on which no compat driver runs, index 1 an A100, on which this one does.
start() { # MAKE-ROOT-ARGUMENT...
    rm -rf "$machine" "$tmp/run" && mkdir -m 700 "$tmp/run"
    make_root "$machine" --kmd $kmd --host-umd $kmd --gpu 'NVIDIA GeForce RTX 4090' \
        --gpu 'NVIDIA A100-SXM4-80GB' "$@" >/dev/null
}

# shellcheck disable=SC2016
inside='
    machine=$1 && shift
    mkdir -p "$machine/nodes" && mount -t tmpfs -o mode=755 nodes "$machine/nodes" || exit 99
    for node in null zero urandom; do
        : >"$machine/nodes/$node" && mount --bind /dev/$node "$machine/nodes/$node" || exit 99
    done
    for minor in 0 1 255; do
        mknod "$machine/nodes/nvidia$minor" c 195 $minor && chmod 666 "$machine/nodes/nvidia$minor" || exit 99
    done
    mv "$machine/nodes/nvidia255" "$machine/nodes/nvidiactl"
    mount --move "$machine/nodes" /dev && mount --bind "$machine/proc/driver" /proc/driver || exit 99
    mount --bind "${machine%/*}" /mnt || exit 99
    [ -z "$closed" ] || chmod 600 "/dev/nvidia$closed"
    [ -z "$group" ] || echo $$ >"$group/cgroup.procs" || exit 99
    "$@"'

# CLOSED: a node of mode 0600; denied: the minor number that the cgroup withholds.
job() { # COMMAND...
    group='' closed=${closed:-}
    if [ -n "${denied:-}" ]; then
        group=/sys/fs/cgroup/devices/cuarbiter-test-$$
        mkdir "$group" && echo "c 195:$denied rwm" >"$group/devices.deny" || return
    fi
    FAKE_ROOT=$machine FAKE_NODES=/dev CUDA_DEVICE_ORDER=PCI_BUS_ID closed=$closed group=$group \
        LD_LIBRARY_PATH=$path unshare -m --propagation private sh -c "$inside" sh "$machine" "$@" 2>&1
    [ -z "$group" ] || rmdir "$group"
}

# VERSION and answer of the driver that the program gets.
got() { # bare|shim COMMAND...
    how=$1
    shift
    [ "$how" = bare ] || set -- env LD_PRELOAD="$shim" "$@"
    line=$(job "$@" | grep '^program=')
    file=$(readlink -f "$(word file "$line" | sed "s|^/mnt/|$tmp/|")")
    echo "${file##*/libcuda.so.} $(word cuInit "$line")"
}

if mkdir "$group" 2>/dev/null; then
    rmdir "$group"
    cgroup=yes
fi

start --compat 580.82.07
path=$machine/usr/local/cuda/compat:$native
init=$programs/init-dlopen
reason=$(job true) && [ -z "$reason" ] || cannot "no /dev of its own here: $reason"

if [ -n "${cgroup:-}" ]; then
    denied=0
    is "$(CUDA_VISIBLE_DEVICES=0 got bare "$init")" '580.82.07 0' 'the cgroup withholds the GeForce: index 0, bare'
    is "$(CUDA_VISIBLE_DEVICES=0 got shim "$init")" '580.82.07 0' 'the cgroup withholds the GeForce: index 0'
    is "$(got shim "$init")" '580.82.07 0' 'the cgroup withholds the GeForce'
    is "$(job "$command" status --json | jq -r '[.gpus[].model] | join(",")')" 'NVIDIA A100-SXM4-80GB' \
        'status lists what can be opened'
    like "$(job "$command" status --json | jq -r .visible_note)" '*1 GPU is not counted, because this process cannot open its device file' \
        'and says that something was left out'
    denied=1
    is "$(got bare "$init")" '580.82.07 804' 'the cgroup withholds the A100, bare'
    is "$(got shim "$init")" "$kmd 0" 'the cgroup withholds the A100'
    denied='*'
    is "$(job "$command" status --json | jq -r '.gpus | length')" 2 'all are withheld: both are listed'

    # No note, in a folder that nobody knows: a trial decides, and its answer is kept.
    start --compat 580.82.07:/apps/lib,nonote
    path=$machine/apps/lib:$native
    denied=1
    is "$(got shim "$init")" "$kmd 0" 'a job that holds the GeForce tries the driver: 804'
    denied=0
    is "$(got bare "$init")" '580.82.07 0' 'the next job holds the A100, bare'
    is "$(got shim "$init")" '580.82.07 0' 'the answer of the other job is not taken for its own'
    is "$(find "$tmp/run" -name 'trial-*' | wc -l)" 2 'two questions are kept'
else
    ok 'a device cgroup # SKIP none can be made here'
fi

# Another user, whom the mode keeps out.
start --compat 580.82.07
denied=''
if setpriv --reuid 65534 --regid 65534 --clear-groups test -r "$command" 2>/dev/null; then
    closed=0
    is "$(job setpriv --reuid 65534 --regid 65534 --clear-groups "$command" status --json |
        jq -r '[.gpus[].model] | join(",")')" 'NVIDIA A100-SXM4-80GB' 'a node of mode 0600, another user'
    is "$(job "$command" status --json | jq -r '.gpus | length')" 2 'a node of mode 0600, root'

    # A program that is two users opens as the effective one, who may not look below all folders here.
    closed=0
    two="env FAKE_ROOT=/mnt/machine $ways/init-as"
    path=/mnt/machine/usr/local/cuda/compat:/mnt/${native#"$tmp/"}
    shim=/mnt/${shim#"$tmp/"}
    is "$(got bare $two 0 65534)" '580.82.07 0' 'the effective user cannot open the GeForce, the real one can, bare'
    is "$(got shim $two 0 65534)" '580.82.07 0' 'the effective user cannot open the GeForce, the real one can'
    is "$(got bare $two 65534 0)" '580.82.07 804' 'the real user cannot open the GeForce, the effective one can, bare'
    is "$(got shim $two 65534 0)" "$kmd 0" 'the real user cannot open the GeForce, the effective one can'
else
    ok 'a node of mode 0600 # SKIP another user cannot read the build folder'
fi
finish
