#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Apptainer, in a Debian that has it, with an image whose LD_LIBRARY_PATH names its own driver: --nv
# binds the host's files one by one, under names without a version.
# shellcheck source=tests/launchers/lib.sh disable=SC2154
# shellcheck disable=SC2034
CUARBITER_MKNOD=kept # for the images' own /dev
. "$(dirname "$0")/lib.sh"
need_tool pivot_root
need_root bullseye
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

# The image, as `apptainer build` makes one, which adds the scripts that set its environment.
image=$roots/bullseye
on_machine none apptainer build --sandbox "$tmp/image" /image >"$tmp/log" 2>&1 ||
    { not_ok 'apptainer build' "$(tail -n 3 "$tmp/log")" && finish; }
compat=/usr/local/cuda/compat
mkdir -p "$tmp/image$compat" "$tmp/image/programs"
cp -a "$drivers/555.58.02/"lib*.so* "$tmp/image$compat/"
cp "$fixtures/libstandin.so" "$tmp/image/"
echo /libstandin.so >"$tmp/image/etc/ld.so.preload"
cp "$programs"/init-dlopen "$programs"/init-linked "$tmp/image/programs/"
echo "export LD_LIBRARY_PATH=$compat" >>"$tmp/image/.singularity.d/env/90-environment.sh"
cp -r "$tree/docs/recipes/apptainer/cuarbiter.sh" "$tmp/recipe"
image=$tmp/image

version=$(on_machine none apptainer --version)
# What the kernel has below /proc, for the stand-in.
bare='export APPTAINER_BINDPATH=/run/machine:/run/machine'
exec_="exec apptainer exec --no-privs --nv --pwd / /image /programs/init-"
# What a user without root says, with the files in a folder of his own.
mkdir "$tmp/home" && cp -r "$tmp/files" "$tmp/home/dist"
own_="exec apptainer exec --no-privs --nv --pwd / --bind $tmp/home/dist:/opt/cuarbiter:ro \
    --env LD_PRELOAD=/opt/cuarbiter/libcuarbiter.so /image /programs/init-"
sed 's,/opt/cuarbiter,/nowhere,g' "$tmp/recipe" >"$tmp/lost"
said=$(on_machine right sh -c "$bare; . $tmp/lost; ${exec_}dlopen" 2>&1)
is "$(answers "$said")" '1 cuInit=803 ' "$version: the recipe on a machine without the files"
for p in dlopen linked; do
    for name in right wrong; do
        # `right` is the host's; an image without a driver of its own is one with another environment.
        own=
        [ $name = wrong ] || own='export APPTAINERENV_LD_LIBRARY_PATH=/nothing;'
        said=$(on_machine right sh -c "$bare; $own $exec_$p" 2>&1)
        if [ $name = wrong ]; then wanted='1 cuInit=803 '; else wanted='1 cuInit=100 '; fi
        is "$(answers "$said")" "$wanted" "$version, $name, $p: bare"
        said=$(on_machine right sh -c "$bare; . $tmp/recipe; $own $exec_$p" 2>&1)
        is "$(answers "$said")" '1 cuInit=100 ' "$version, $name, $p: the recipe"
        like "$(word maps "$said")" '/.singularity.d/libs/libcuda.so*' "$version, $name, $p: the host's file"
        said=$(on_machine right sh -c "$bare; $own ${own_}$p" 2>&1)
        is "$(answers "$said")" '1 cuInit=100 ' "$version, $name, $p: --bind and --env"
    done
done
finish
