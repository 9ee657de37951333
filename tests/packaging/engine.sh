#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a real container engine, with real drivers: an image as NVIDIA's are, with a newer driver as
# its compat and a real CUDA runtime; the host's own driver mounted as the NVIDIA runtime does it.
# shellcheck disable=SC1091,SC2016,SC2086,SC2154
export CUARBITER_MKNOD=kept # layers are made with it, and containers have a /dev of their own
. "$(dirname "$0")/../fixtures/images.sh"
need_podman
need_files
need_drivers 535.261.03 555.58.02
need_cudart 11.2.152
need_root bullseye
cuarbiter=$files/cuarbiter

# The image.
root=$tmp/root
copy_root bullseye "$root"
lay_out "$root" 555.58.02 none
mkdir "$root/app"
cp "$programs"/* "$cudarts/11.2.152/libcudart.so.11.2.152" "$root/app/"
# What the NVIDIA runtime adds: the host's libraries one by one, the nodes, the ldconfig hook's
# work not needed here. The stand-in is the kernel; a trial does not see it, so the GPU has to tell.
host="-v $fixtures/libstandin.so:/libstandin.so:ro -e STANDIN_KMD=535.261.03 -e STANDIN_ROOT=/geforce"
host="$host -v $root/dev/nvidiactl:/dev/nvidiactl"
kernel_hook 535.261.03
lib=/usr/lib/x86_64-linux-gnu
for file in "$drivers/535.261.03"/lib*.so.535.261.03; do
    host="$host -v $file:$lib/${file##*/}:ro"
done
host="$host -v $drivers/535.261.03/libcuda.so.535.261.03:$lib/libcuda.so.1:ro"
# The image's own LD_PRELOAD names the stand-in: how the shim comes in must not take it away.
# Where a recipe says that it would, it is named in that recipe's variable.
kernel=/libstandin.so
container() { # PODMAN ARGUMENT...
    pod --hooks-dir "$tmp/kernel.d" run --rm $host "$@" 2>&1
}
answer() { word cudaGetDeviceCount "$1"; }

image localhost/gpu "$root" 'CMD ["/app/init-cudart", "/app/libcudart.so.11.2.152"]' \
    "ENV LD_PRELOAD=$kernel"
that 'without cuarbiter: 803' "$(answer "$(container localhost/gpu)")" 803
volume="-v $files:/opt/cuarbiter:ro"
shim=/opt/cuarbiter/libcuarbiter.so
that 'volume and variable' "$(answer "$(container $volume -e LD_PRELOAD=$shim:$kernel localhost/gpu)")" 100
that 'volume and ld.so.preload' "$(answer "$(container $volume \
    -v $files/ld.so.preload:/etc/ld.so.preload:ro localhost/gpu)")" 100
that 'volume and ld.so.preload, as somebody else' "$(answer "$(container $volume --user 1000 --read-only \
    -v $files/ld.so.preload:/etc/ld.so.preload:ro localhost/gpu)")" 100
# As in a rootless engine: the host's root is nobody there.
mapped='--uidmap 0:100000:65536 --gidmap 0:100000:65536'
for user in 0 1000; do
    that "a user namespace, user $user" "$(answer "$(container $mapped --user $user $volume \
        -v $files/ld.so.preload:/etc/ld.so.preload:ro localhost/gpu)")" 100
done
for p in dlopen linked plugin default; do
    that "volume and ld.so.preload: $p" "$(word cuInit "$(container $volume \
        -v $files/ld.so.preload:/etc/ld.so.preload:ro localhost/gpu /app/init-$p)")" 100
done

# Rebuilt, with the lines that the command prints.
context=$tmp/context
mkdir "$context"
cp -r "$files" "$context/dist"
build() { # NAME OPTION...
    name=$1
    shift
    pod inspect --type image localhost/gpu | "$cuarbiter" dockerfile "$@" >"$context/Dockerfile"
    pod build -q --isolation chroot -t "$name" "$context" >/dev/null 2>"$tmp/build" || cat "$tmp/build"
}
build localhost/with-entrypoint
that 'ENTRYPOINT' "$(answer "$(container localhost/with-entrypoint)")" 100
that 'ENTRYPOINT, as somebody else, read-only' "$(answer "$(container --user 1234 --read-only \
    localhost/with-entrypoint)")" 100
build localhost/with-env --env
that 'ENV' "$(answer "$(container localhost/with-env)")" 100
that 'ENV, as somebody else' "$(answer "$(container --user 1000 localhost/with-env)")" 100

# CDI, the image untouched.
put_cdi "$cuarbiter"
that 'CDI' "$(answer "$(container --device "cuarbiter/shim=test$$" localhost/gpu)")" 100
that 'CDI, as somebody else' "$(answer "$(container --user 1000 --device "cuarbiter/shim=test$$" localhost/gpu)")" 100

# A folder that only its owner may read: nothing but ld.so's own line where another user is in the
# container. `podman build -o dist .` leaves one.
closed=$tmp/closed
cp -r "$files" "$closed"
chmod 700 "$closed"
both="-v $closed:/opt/cuarbiter:ro -v $closed/ld.so.preload:/etc/ld.so.preload:ro"
bare=$(pod run --rm --user 1000 $host localhost/gpu 2>/dev/null)
for how in "$both" "-v $closed:/opt/cuarbiter:ro -e LD_PRELOAD=$shim:$kernel"; do
    said=$(pod run --rm --user 1000 $host $how localhost/gpu 2>"$tmp/err")
    that "a closed folder, another user: as bare, ${how##* }" "$?, $said" "0, $bare"
    that 'and ld.so has printed why' "$(grep -v '^ERROR: ld.so: object .*libcuarbiter.so.* cannot be preloaded' "$tmp/err")" ''
done
that 'a closed folder, a user namespace: as bare' \
    "$(pod run --rm $mapped $host $both localhost/gpu 2>/dev/null)" "$(pod run --rm $mapped $host localhost/gpu 2>/dev/null)"
that 'a closed folder, root' "$(answer "$(container $both localhost/gpu)")" 100
said=$(container $both localhost/gpu /opt/cuarbiter/cuarbiter doctor -- setpriv --reuid 1000 --clear-groups /bin/true)
like "$said" '*chmod -R a+rX /opt/cuarbiter*' 'a closed folder: doctor says so'

# An image's own LD_PRELOAD: the newest glibc here, so that this machine's jemalloc runs in it.
jemalloc=$(ldconfig -p 2>/dev/null | sed -n 's/.*libjemalloc.so.2 (libc6.* => //p' | head -n 1)
if [ -n "$jemalloc" ] && [ -e "$roots/trixie/.complete" ]; then
    other=$tmp/other
    copy_root trixie "$other"
    lay_out "$other" 555.58.02 none
    cp -L "$jemalloc" "$other/usr/lib/libjemalloc.so.2"
    cp "$programs/init-linked" "$other/usr/bin/"
    image localhost/jemalloc "$other" "ENV LD_PRELOAD=/usr/lib/libjemalloc.so.2:$kernel"
    got=$(container --device "cuarbiter/shim=test$$" localhost/jemalloc sh -c \
        'cat /proc/self/maps; init-linked')
    like "$got" '*libcuarbiter.so*' "an image's own LD_PRELOAD, jemalloc: the shim is mapped"
    like "$got" '*libjemalloc.so.2*' "an image's own LD_PRELOAD, jemalloc: so is jemalloc"
    that "an image's own LD_PRELOAD, jemalloc: it works" \
        "$(word cuInit "$(printf '%s\n' "$got" | tail -n 1)")" 100
else
    missing "an image's own LD_PRELOAD: jemalloc" 'no libjemalloc2, or no root file system trixie'
fi
no_cdi

# The same image, unpacked and installed into.
"$cuarbiter" install --root "$root" >/dev/null
image localhost/installed "$root" 'CMD ["/app/init-cudart", "/app/libcudart.so.11.2.152"]' \
    "ENV LD_PRELOAD=$kernel"
that 'install --root' "$(answer "$(container localhost/installed)")" 100
that 'install --root, as somebody else' "$(answer "$(container --user 1000 localhost/installed)")" 100
that 'install --root: linked' "$(word cuInit "$(container localhost/installed /app/init-linked)")" 100
finish
