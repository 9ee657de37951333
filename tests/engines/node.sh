#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A node, as a root file system of its own: node.sh ROOT OVER WORK PID. ROOT is a root file system with engines, OVER what
# lies over it; WORK is an empty folder for its mounts; PID gets the number of this process, which keeps the
# node until it is ended. Starts in namespaces of its own (lib.sh).
set -eu
root=$1 over=$2 work=$3 pid=$4
mount --make-rprivate /
# As the outer /proc has it.
read -r me _ </proc/self/stat
# Everything that is written lies in memory. Containers have no file system below another overlay.
mount -t tmpfs -o mode=755 none "$work"
mkdir "$work/lower" "$work/upper" "$work/scratch" "$work/node"
# A name with a comma is none for mount's options.
mount --bind "$root" "$work/lower"
mount -t overlay none "$work/node" -o "lowerdir=$work/lower,upperdir=$work/upper,workdir=$work/scratch"
cd "$work/node"
cp -a "$over/." .
mount -t proc proc proc
mount --bind machine/driver proc/driver
mount --rbind /sys sys
mount -t tmpfs -o mode=755 none dev
for node in null zero full random urandom tty; do
    : >dev/$node
    mount --bind /dev/$node dev/$node
done
mkdir dev/shm dev/mqueue dev/pts
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
# The nodes of the fakes are files.
: >dev/nvidiactl
: >dev/nvidia0
for folder in run tmp var/lib/docker var/lib/containerd; do
    mkdir -p $folder
    mount -t tmpfs -o mode=755 none $folder
done
mkdir old
pivot_root . old
echo "$me" >"/old$pid.new"
mv "/old$pid.new" "/old$pid"
umount -l /old
# The first process of its namespace, so it reaps.
while :; do
    sleep 1000
done
