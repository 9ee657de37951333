# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
# On top of lib.sh, for tests with Apptainer.
#
#   on_machine NAME COMMAND...   on a machine of scripts/machine, in a Debian that has Apptainer, with
#                                the folder $image at /image
CUARBITER_MKNOD=kept # for the images' own /dev
. "$(dirname "$0")/lib.sh"
need_tool pivot_root
[ -e "$roots/sid+apptainer/.complete" ] || [ "${CUARBITER_OFFLINE:-}" != 1 ] || cannot 'offline, without Apptainer'
said=$("$tree/scripts/fetch-roots" sid+apptainer 2>&1) || skip "$said"

# The machine's library folder, nodes and /proc, around a root that has Apptainer; then a command.
cat >"$tmp/enter" <<'END'
set -eu
from=$1 image=$2 tmp=$3
shift 3
lib=/usr/lib/$(uname -m)-linux-gnu
mkdir -p /run/a/upper /run/a/work /run/root
mount -t overlay root /run/root -o "lowerdir=$from,upperdir=/run/a/upper,workdir=/run/a/work"
cd /run/root
mkdir -p image old run/machine "./$tmp"
for folder in proc sys dev opt; do
    mount --rbind /$folder ./$folder
done
for folder in /run/machine "$tmp"; do
    mount --bind "$folder" "./$folder"
done
mount --bind "$image" image
for file in "$lib"/libcuda.so* "$lib"/libnvidia-* "$lib"/libcudadebugger.so* /usr/bin/nvidia-smi; do
    if [ -L "$file" ]; then
        cp -a "$file" "./$file"
    elif [ -e "$file" ]; then
        : >"./$file"
        mount --bind "$file" "./$file"
    fi
done
cp /etc/passwd /etc/group /etc/hosts etc/
: >etc/resolv.conf
echo /opt/libstandin.so >etc/ld.so.preload
pivot_root . old
cd /
umount -l /old
ldconfig
exec "$@"
END
on_machine() { # MACHINE COMMAND...
    name=$1
    shift
    machine "$name" sh "$tmp/enter" "$roots/sid+apptainer" "$image" "$tmp" "$@"
}
