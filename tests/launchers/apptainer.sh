#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Apptainer, in a Debian that has it, with an image whose LD_LIBRARY_PATH names its own driver: --nv
# binds the host's files one by one, under names without a version.
# shellcheck source=tests/launchers/apptainer-lib.sh disable=SC2154
# shellcheck disable=SC2034
. "$(dirname "$0")/apptainer-lib.sh"
need_root bullseye

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
