#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Slurm with ConstrainDevices: a job gets the driver that suits the GPUs it was given, not those of
# the node. Fake drivers, which judge by the nodes that they can open.
# shellcheck disable=SC2034,SC2154
CUARBITER_MKNOD=kept # the node has a /dev of its own
# Not below /tmp: what lies there is not trusted.
TMPDIR=${CUARBITER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cuarbiter}/tmp
export TMPDIR
umask 022
mkdir -p "$TMPDIR"
# shellcheck source=tests/launchers/lib.sh
. "$(dirname "$0")/lib.sh"
group=/sys/fs/cgroup/devices/cuarbiter-slurm-$$
mkdir "$group" 2>/dev/null || cannot 'no device cgroup can be made here'
# shellcheck disable=SC2064
trap "find '$group' -depth -type d -exec rmdir {} +; rm -rf '$tmp'" EXIT
need_layer slurm slurm-wlm munge

# Index 0 is a GeForce, on which no compat driver runs, index 1 an A100, on which this one does.
kmd=535.161.07
make_root "$tmp/node" --kmd $kmd --host-umd $kmd --gpu 'NVIDIA GeForce RTX 4090' \
    --gpu 'NVIDIA A100-SXM4-80GB' --compat 580.82.07 >/dev/null
cat >"$tmp/start" <<'END'
set -eu
tree=$1 node=$2 programs=$3 group=$4 shim=$5
exec 2>"$node/log" && set -x
: >/etc/ld.so.preload # the stand-in; the drivers here are fakes
mkdir "$node/nodes" && mount --rbind /dev "$node/nodes" && mount -t tmpfs -o mode=755 nodes /dev
for name in null zero full random urandom tty ptmx; do
    : >"/dev/$name" && mount --bind "$node/nodes/$name" "/dev/$name"
done
mkdir /dev/shm /dev/pts && mount --bind "$node/nodes/pts" /dev/pts
ln -s /proc/self/fd /dev/fd
mknod /dev/nvidiactl c 195 255 && mknod /dev/nvidia0 c 195 0 && mknod /dev/nvidia1 c 195 1
chmod 666 /dev/nvidia*
mount --bind "$node/proc/driver" /proc/driver
mount --bind "$group" /sys/fs/cgroup/devices
mkdir -p /etc/slurm
cat >/etc/slurm/cgroup.conf <<CONF
CgroupPlugin=cgroup/v1
CgroupMountpoint=/sys/fs/cgroup
ConstrainDevices=yes
CONF
cat >/etc/slurm/gres.conf <<CONF
Name=gpu Type=geforce File=/dev/nvidia0
Name=gpu Type=a100 File=/dev/nvidia1
CONF
. "$tree/tests/launchers/slurm-node.sh"
gres=Gres=gpu:geforce:1,gpu:a100:1
slurm_start TaskPlugin=task/cgroup GresTypes=gpu
lib=$(echo "$node"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH="$node/usr/local/cuda/compat:$lib" FAKE_ROOT="$node" FAKE_NODES=/dev
for gpu in geforce a100; do
    for preload in '' "$shim"; do
        line=$(srun "--gres=gpu:$gpu:1" env ${preload:+"LD_PRELOAD=$preload"} "$programs/init-dlopen") || :
        file=${line##*libcuda.so.} line=${line#*cuInit=}
        echo "$gpu ${preload:+shim }$file ${line%% *}"
    done
done
cat /var/log/slurm/ctld /var/log/slurm/d >&2
END
version=$(machine none slurmctld -V 2>/dev/null)
is "$(machine none sh "$tmp/start" "$tree" "$tmp/node" "$programs" "$group" "$tmp/files/libcuarbiter.so")" \
    "geforce 580.82.07 804
geforce shim $kmd 0
a100 580.82.07 0
a100 shim 580.82.07 0" "$version, ConstrainDevices: a GPU each, bare and with the shim (fake drivers)"
[ "$tests_failed" = 0 ] || tail -n 60 "$tmp/node/log" | sed 's/^/# /'
finish
