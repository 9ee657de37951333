#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every command of a page, as a new user would run it: pages.sh [PAGE...]
#
# Its docker is podman, in a copy of this tree, with the files in `dist` as README's first example has
# them before the reader comes to how they are made.
# shellcheck disable=SC1091,SC2016,SC2154
# The images hold device nodes. Read by lib.sh.
# shellcheck disable=SC2034
CUARBITER_MKNOD=kept
. "$(dirname "$0")/../fixtures/images.sh"
if [ $# = 0 ]; then
    for page in README docs/README docs/quick-start docs/what-if docs/building docs/demo docs/settings docs/how-it-decides \
        docs/limits docs/troubleshooting docs/evidence/score docs/multi-node docs/comparison docs/evidence/cost docs/hardware; do
        set -- "$@" "$tree/$page.md"
    done
fi
need_files
need_podman
need_root bookworm
need_tool python3 unshare

. "$tree/tests/docs/machine.sh"

# The image, and what a runtime adds to it.
image_root=$tmp/image
copy_root bookworm "$image_root"
geforce "$image_root" --compat 575.57.08
echo /usr/local/cuda/compat >"$image_root/etc/ld.so.conf.d/00-cuda-compat.conf"
chroot "$image_root" ldconfig
cp "$programs/app" "$image_root/usr/bin/"
cp "$fixtures/libstandin.so" "$image_root$lib/"
rm -rf "$image_root/proc" && mkdir "$image_root/proc"
image localhost/my/image "$image_root" 'ENV PATH=/usr/bin:/bin' 'CMD ["app"]'
geforce "$tmp/gpu" --kmd $version --host-umd $version
mkdir "$tmp/bin" "$tmp/clone"
(cd "$tree" && tar c --exclude='./build*' --exclude=./.git --exclude=./dist .) | tar x -C "$tmp/clone"
cp -r "$files" "$tmp/clone/dist"
cat >"$tmp/bin/docker" <<END
#!/bin/sh
verb=\$1
shift
podman() { exec podman --root "$tmp/pod/graph" --runroot "$tmp/pod/run" --tmpdir "$tmp/pod/tmp" \\
    --storage-driver $storage "\$@"; }
case \$verb in
build) podman build --isolation chroot --build-arg BASE=localhost/base --build-arg SMALL=localhost/base "\$@" ;;
run)
    # Which GPU there is, the fakes say; how a container is given one is the engine's own affair.
    [ "\$1 \$2 \$3" != '--rm --gpus all' ] || { shift 3 && set -- --rm "\$@"; }
    case " \$* " in
    *my/image*) # Its programs find the fakes' kernel driver by the stand-in, beside what the reader preloads.
        for word; do
            shift
            case \$word in LD_PRELOAD=*) word=\$word:$lib/libstandin.so ;; esac
            set -- "\$@" "\$word"
        done
        set -- -e LD_PRELOAD=$lib/libstandin.so "\$@"
        ;;
    esac
    podman run -v "$tmp/gpu:/gpu:ro" -e FAKE_ROOT=/gpu -e STANDIN_ROOT=/gpu -e STANDIN_KMD=$version \\
        -v /dev/null:/dev/nvidiactl -v "$tmp/gpu$lib/libcuda.so.$version:$lib/libcuda.so.$version:ro" "\$@"
    ;;
*) podman "\$verb" "\$@" ;;
esac
END
printf '#!/bin/sh\nexec "%s" "$@"\n' "$files/cuarbiter" >"$tmp/bin/cuarbiter"
cat >"$tmp/in-clone" <<END
#!/bin/sh
cd "$tmp/clone" && PATH="$tmp/bin:\$PATH" exec sh -c "\$1"
END
chmod +x "$tmp/in-clone" "$tmp/bin"/*

# What scripts/deps would install in debian:bookworm, installed once.
base=$roots/build
base_root() {
    ! "$tree/scripts/deps" --list build | cmp -s - "$base/.complete" || return 0
    rm -rf "$base.new"
    cp -a "$roots/bookworm" "$base.new" || return
    echo "deb $("$tree/scripts/find-mirror") bookworm main" >"$base.new/etc/apt/sources.list"
    cp -L /etc/resolv.conf "$base.new/etc/resolv.conf" 2>/dev/null
    # shellcheck disable=SC2046
    chroot "$base.new" sh -c 'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y \
        --no-install-recommends install "$@" && apt-get clean' sh $("$tree/scripts/deps" --list build) \
        >"$tmp/log" 2>&1 || return
    : >"$base.new/etc/apt/sources.list"
    "$tree/scripts/deps" --list build >"$base.new/.complete"
    rm -rf "$base" && mv "$base.new" "$base"
}
if grep -Eqs '^\$ (docker build|meson)' "$@"; then
    base_root || skip "no root file system to build in: $(tail -n 1 "$tmp/log")"
    image localhost/base "$base" 'ENV PATH=/usr/sbin:/usr/bin:/sbin:/bin'
fi
# A fresh Debian with what scripts/deps installs, and a clone in it.
if [ -e "$base/.complete" ]; then
    cp -al "$base" "$tmp/builder"
    cp -a "$tmp/clone" "$tmp/builder/clone"
fi
cat >"$tmp/on-builder" <<END
#!/bin/sh
exec unshare -m sh -c 'mount --rbind /proc "\$1/proc" &&
    exec chroot "\$1" env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LC_ALL=C.UTF-8 \\
        sh -c "cd /clone && \$2"' sh "$tmp/builder" "\$1"
END
chmod +x "$tmp/on-builder"
# The image of a what-if, unpacked.
mkdir -p "$machine/srv/image"
geforce "$machine/srv/image" --compat 575.57.08

python3 -B "$tree/tests/docs/pages.py" "$tmp/on-machine" "$tmp/in-clone" "$tmp/on-builder" "$@"
