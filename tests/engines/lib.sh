# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC1091,SC2016,SC2034,SC2154
# On top of fixtures/images.sh, for engines whose daemons are started here, out of Debian's packages in a root
# file system (scripts/fetch-roots engines-SUITE) that is a machine's root for them.
#
#   need_engines SUITE       what follows needs that root
#   start_node               the node: its own mounts, processes, network; ends with the test
#   node COMMAND...          a command there; the folder is /clone, with the files in dist
#   daemon NAME COMMAND...   started there; ready NAME COMMAND waits until that succeeds, or fails the test
#   stop NAME                by its process id
#   real                     is there a real driver, beside the fakes?
#   image_root, real_root    the images, unpacked: a GeForce on the fakes, 804; a real 555 before 535, 803
#
# In the fakes' image `app` prints what README's examples show. Nothing there is preloaded but what the reader
# preloads. In the other the stand-in for the kernel driver is in the image's /etc/ld.so.preload.
export CUARBITER_MKNOD=kept # containers have a /dev of their own
. "$(dirname "$0")/../fixtures/images.sh"
version=535.261.03
lib=/usr/lib/x86_64-linux-gnu

need_engines() {
    need_root bullseye
    need_root "engines-$1"
    reason=$("$tree/scripts/machine" --check) || cannot "$reason"
    suite=$1
}

geforce() { # FOLDER ARGUMENT...
    folder=$1
    shift
    make_root "$folder" "$@" --gpu 'NVIDIA GeForce RTX 4090' --cc 8.9 >/dev/null
}

real() {
    [ -e "$drivers/$version/libcuda.so.1" ] && [ -e "$drivers/555.58.02/libcuda.so.1" ]
}

# Little more than a libc: the engines copy each image and each container as a whole.
small_root() { # FOLDER
    copy_root bullseye "$1"
    rm -rf "${1:?}"/usr/share "${1:?}"/var/lib/dpkg "${1:?}"/usr/lib/x86_64-linux-gnu/perl* "${1:?}"/usr/lib/apt "$1"/dev/nvidiactl \
        "$1"/libstandin.so "$1"/geforce
    mkdir -p "$1/app"
}

# Beside Debian's: cuarbiter as a package places it, a clone with dist, and the fakes' driver.
node_files() {
    over=$tmp/over
    geforce "$over" --kmd $version --host-umd $version
    mkdir -p "$over/machine" "$over/opt" "$over/clone" "$over/usr/bin"
    mv "$over/proc/driver" "$over/machine/driver"
    rm -rf "${over:?}/proc" "${over:?}/sys" "${over:?}/dev"
    need_files
    cp -r "$files" "$over/opt/cuarbiter"
    cp -r "$files" "$over/clone/dist"
    cp -r "$tree/docs/recipes/image" "$over/clone/"
    ln -s /opt/cuarbiter/cuarbiter "$over/usr/bin/cuarbiter"
    cp "$tree/tests/engines/gpu-hook" "$over/usr/bin/nvidia-container-runtime-hook"
    cp "$tree/tests/engines/gpu-hook" "$over/machine/gpu-kernel"
    cp "$tree/tests/engines/gpu-runtime" "$over/usr/bin/nvidia-container-runtime"
    cp "$tree/tests/engines/gpu-runtime" "$over/machine/hooked-runtime"
    cp "$tree/tests/fixtures/protobuf.py" "$tree/tests/engines/cri.py" "$tree/tests/engines/archive.py" "$tree/tests/engines/specification.py" "$over/machine/"
    image_root=$tmp/image real_root=''
    small_root "$image_root"
    geforce "$image_root" --compat 575.57.08
    echo /usr/local/cuda/compat >"$image_root/etc/ld.so.conf.d/00-cuda-compat.conf"
    chroot "$image_root" ldconfig
    cp "$programs/app" "$image_root/usr/bin/"
    tar -C "$image_root" --exclude=./proc/* -cf "$over/machine/image.tar" .
    real || return 0
    real_root=$tmp/real
    small_root "$real_root"
    lay_out "$real_root" 555.58.02 none
    cp "$programs"/init-* "$real_root/usr/bin/"
    cp "$fixtures/libstandin.so" "$real_root/"
    cp -r "$geforce" "$real_root/geforce"
    echo /libstandin.so >"$real_root/etc/ld.so.preload"
    tar -C "$real_root" -cf "$over/machine/real.tar" .
    mkdir "$over/machine/real"
    cp -a "$drivers/$version"/lib*.so* "$over/machine/real/"
}

start_node() {
    node_files
    mkdir "$tmp/work"
    unshare -mnp --fork --kill-child sh "$tree/tests/engines/node.sh" "$roots/engines-$suite" "$over" "$tmp/work" "$tmp/pid" \
        >"$tmp/node-log" 2>&1 &
    keeper=$!
    trap 'code=$?; end_node; (exit $code); cua_cleanup' EXIT
    for _ in $(seq 300); do
        [ ! -e "$tmp/pid" ] || break
        kill -0 $keeper 2>/dev/null || cannot "no node can be made here: $(tail -n 1 "$tmp/node-log")"
        sleep 0.1
    done
    node ip link set lo up 2>/dev/null || :
}

# What it started ends with it. The groups of its containers do not.
end_node() {
    kill -9 $keeper 2>/dev/null
    wait $keeper 2>/dev/null
    find /sys/fs/cgroup -depth -type d -path "*/$group*" -exec rmdir {} \; 2>/dev/null
}
group=cuarbiter-engines-$$

node() {
    nsenter -t "$(cat "$tmp/pid")" -m -n -p -r -w env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
        sh -c 'cd /clone && exec "$@"' sh "$@"
}

daemon() {
    named=$1
    shift
    node sh -c 'named=$1 && shift && { "$@" >"/run/$named.log" 2>&1 </dev/null & echo $! >"/run/$named.own"; }' sh "$named" "$@"
}

ready() {
    named=$1
    shift
    for _ in $(seq 150); do
        ! node timeout 5 "$@" >/dev/null 2>&1 || return 0
        node sh -c 'kill -0 "$(cat "/run/$1.own")"' sh "$named" 2>/dev/null || break
        sleep 0.2
    done
    log=$(node timeout 5 "$@" 2>&1; node tail -n 5 "/run/$named.log")
    case $log in
    *'ermission denied'* | *'not permitted'*) cannot "$named does not start here: $log" ;;
    esac
    not_ok "$named starts" "$log"
    finish
}

stop() {
    node sh -c 'kill "$(cat "/run/$1.own")"; for n in $(seq 100); do
        kill -0 "$(cat "/run/$1.own")" 2>/dev/null || exit 0; sleep 0.1; done; exit 1' sh "$1"
}
