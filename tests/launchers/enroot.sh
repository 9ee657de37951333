#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# enroot, as far as it goes without it: the hook changes a container's environment file, the fstab line is
# mounted into its root, and a program is started there with that environment and nothing else.
# shellcheck source=tests/launchers/lib.sh disable=SC2154
# shellcheck disable=SC2034
CUARBITER_MKNOD=kept # a root is copied
. "$(dirname "$0")/lib.sh"
need_root bullseye

# The container: an image with a driver of its own in LD_LIBRARY_PATH, the host's bound by a hook before.
cat >"$tmp/start" <<'END'
set -eu
recipes=$1 from=$2 programs=$3 drivers=$4 hook=$5 program=$6
root=/run/root lib=usr/lib/$(uname -m)-linux-gnu
mkdir -p /run/c/upper /run/c/work $root
mount -t overlay root $root -o "lowerdir=$from,upperdir=/run/c/upper,workdir=/run/c/work"
mkdir -p $root/usr/local/cuda/compat $root/programs $root/run/machine
cp -a "$drivers"/555.58.02/lib*.so* $root/usr/local/cuda/compat/
cp "$programs"/init-* $root/programs/
for folder in proc sys dev run/machine; do mount --rbind /$folder $root/$folder; done
for file in "/$lib"/libcuda.so* "/$lib"/libnvidia-*; do
    [ ! -L "$file" ] || { cp -a "$file" "$root/$lib/" && continue; }
    : >"$root$file" && mount --bind "$file" "$root$file"
done
cp /opt/libstandin.so $root/opt/
cp /etc/ld.so.preload $root/etc/
export ENROOT_ENVIRON=/run/environ ENROOT_ROOTFS=$root
printf '%s\n' PATH=/usr/bin:/bin LD_LIBRARY_PATH=/usr/local/cuda/compat \
    "STANDIN_KMD=$STANDIN_KMD" "STANDIN_ROOT=$STANDIN_ROOT" >$ENROOT_ENVIRON
if [ "$hook" = yes ]; then
    sh "$recipes/50-cuarbiter.sh"
    grep '^/' "$recipes/50-cuarbiter.fstab" | while read -r what where _ options _; do
        case $options in *x-create=dir*) mkdir -p "$root$where" ;; esac
        mount --bind -o "$(echo "$options" | sed 's/x-create=dir,//; s/bind,//; s/nofail,*//')" "$what" "$root$where"
    done
fi
# Of two lines with one name the later counts.
exec env -i $(cat $ENROOT_ENVIRON) "$(command -v chroot)" $root "/programs/init-$program"
END
for p in dlopen linked; do
    for hook in no yes; do
        said=$(machine right sh "$tmp/start" "$tree/docs/recipes/enroot" "$roots/bullseye" "$programs" \
            "$drivers" $hook $p 2>&1)
        if [ $hook = no ]; then wanted='1 cuInit=803 '; else wanted='1 cuInit=100 '; fi
        is "$(answers "$said")" "$wanted" "$p, with the recipe: $hook"
        [ $hook = no ] || like "$(word maps "$said")" "/usr/lib/*/libcuda.so*" "$p: the host's file"
    done
done
finish
