# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2016,SC2034,SC2154
# The machine of the pages: a fresh root file system with a GeForce 4090, a host driver 535.261.03 and
# a bundled one, 575.57.08. They are fakes that obey the rules of real drivers, because a real one
# answers 804 only where such a GPU is.
#
# Sourced after images.sh and need_files. Makes $tmp/on-machine, which runs a command there.
version=535.261.03
lib=/usr/lib/x86_64-linux-gnu
chmod 755 "$tmp"

geforce() { # FOLDER ARGUMENT...
    folder=$1
    shift
    make_root "$folder" "$@" --gpu 'NVIDIA GeForce RTX 4090' --cc 8.9 >/dev/null
}

machine=$tmp/machine
copy_root bookworm "$machine"
rm -f "$machine/dev/nvidiactl" "$machine/libstandin.so"
geforce "$machine" --kmd $version --host-umd $version --compat 575.57.08
mkdir "$tmp/driver"
mv "$machine/proc/driver/nvidia" "$tmp/driver/"
rm -rf "$machine/proc"
mkdir -p "$machine/proc" "$machine/opt/cuarbiter" "$machine/srv"
echo /usr/local/cuda/compat >"$machine/etc/ld.so.conf.d/00-cuda-compat.conf"
chroot "$machine" ldconfig
cp "$files"/* "$machine/opt/cuarbiter/"
ln -s /opt/cuarbiter/cuarbiter "$machine/usr/bin/cuarbiter"
cp "$programs/app" "$machine/usr/bin/"
copy_root bullseye "$machine/srv/rootfs"
cat >"$tmp/on-machine" <<END
#!/bin/sh
exec unshare -m sh -c 'mount --rbind /proc "\$1/proc" && mount --bind "\$2" "\$1/proc/driver" &&
    exec chroot "\$1" env -i PATH=/usr/bin:/bin:/usr/sbin HOME=/root sh -c "\$3"' \\
    sh "$machine" "$tmp/driver" "\$1"
END
chmod +x "$tmp/on-machine"
