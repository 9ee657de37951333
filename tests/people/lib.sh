# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC1091,SC2154
# On top of tests/ground/lib.sh, for the tests of this folder: . "$(dirname "$0")/lib.sh"
#
#   missing NAME WHY       one test of several that this machine cannot run
#   that NAME GOT WANTED   is, with the name first, for long GOTs
#   need_files             files=FOLDER with the three files and the entry point, as one copies them
#   copy_root SUITE FOLDER a root file system to change; its files are shared until they are replaced
#   lay_out FOLDER BUNDLED HOST   what an image with cuda-compat and a runtime make of it
#   in_root FOLDER KMD COMMAND...   in there, on a machine with this kernel driver
#   need_podman            podman with a storage of its own below $tmp; then: pod ARGS...
#   image NAME FOLDER [CHANGE...]   an image made of a root file system

. "$(dirname "$0")/../ground/lib.sh"

that() {
    is "$2" "$3" "$1"
}

missing() {
    if [ "${CUARBITER_MUST_RUN:-}" = 1 ]; then
        not_ok "$1" "must run, but: $2"
    else
        ok "$1 # SKIP $2"
    fi
}

# CUARBITER_FILES is set by meson: the built shim, engine and command.
need_files() {
    files=$tmp/files
    mkdir "$files"
    # shellcheck disable=SC2086
    cp ${CUARBITER_FILES:?} "$tree/scripts/cuarbiter-entrypoint" "$tree/docs/recipes/ld.so.preload" \
        "$files/"
    chmod 755 "$tmp" "$files"
}

copy_root() {
    need_root "$1"
    cp -al "$roots/$1" "$2" 2>/dev/null || cp -a "$roots/$1" "$2"
    # What is written in place must not be shared.
    for file in etc/ld.so.cache var/cache/ldconfig/aux-cache; do
        rm -f "${2:?}/$file"
    done
    mkdir -p "$2/dev"
    rm -f "$2/dev/nvidiactl"
    : >"$2/dev/nvidiactl"
    cp "$ground/libstandin.so" "$2/"
}

# The bundled driver where NVIDIA's images have it, first in the loader's cache; the host's, "none"
# where a runtime brings it later, in the library folder.
lay_out() {
    compat=$1/usr/local/cuda/compat lib=$1/usr/lib/x86_64-linux-gnu
    mkdir -p "$compat" "$1/etc/ld.so.conf.d"
    echo /usr/local/cuda/compat >"$1/etc/ld.so.conf.d/00-cuda-compat.conf"
    for part in libcuda.so libnvidia-ptxjitcompiler libnvidia-ml; do
        cp -a "$drivers/$2/$part"* "$compat/"
        [ "$3" = none ] || cp -a "$drivers/$3/$part"* "$lib/"
    done
    chroot "$1" ldconfig
}

in_root() {
    # shellcheck disable=SC2016
    unshare -m sh -c 'mount --rbind /proc "$1/proc" && root=$1 STANDIN_KMD=$2 && shift 2 &&
        exec chroot "$root" env STANDIN_KMD="$STANDIN_KMD" LD_PRELOAD=/libstandin.so "$@"' sh "$@"
}

need_podman() {
    [ "$(id -u)" = 0 ] || cannot 'not root'
    need_tool podman buildah runc
    mkdir "$tmp/pod" "$tmp/pod/l" "$tmp/pod/u" "$tmp/pod/w" "$tmp/pod/m"
    storage=vfs
    # Many times faster, where it can be had.
    if unshare -m mount -t overlay none "$tmp/pod/m" \
        -o "lowerdir=$tmp/pod/l,upperdir=$tmp/pod/u,workdir=$tmp/pod/w" 2>/dev/null; then
        storage=overlay
    fi
    # Two stores in one process would fight over the state of the engine that is in use here.
    export CONTAINERS_CONF="$tmp/pod/containers.conf" CONTAINERS_STORAGE_CONF="$tmp/pod/storage.conf"
    cat >"$CONTAINERS_CONF" <<END
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
log_driver = "k8s-file"
netns = "none"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
END
    cat >"$CONTAINERS_STORAGE_CONF" <<END
[storage]
driver = "$storage"
graphroot = "$tmp/pod/graph"
runroot = "$tmp/pod/run"
END
}

# The storage is said twice: podman's own helpers, which tidy up after a container, see the arguments
# and not the environment.
pod() {
    podman --root "$tmp/pod/graph" --runroot "$tmp/pod/run" --tmpdir "$tmp/pod/tmp" \
        --storage-driver "$storage" "$@"
}

image() {
    name=$1 from=$2
    shift 2
    for change in "$@"; do
        set -- "$@" --change "$change"
        shift
    done
    tar -C "$from" -c . | pod import -q "$@" - "$name" >/dev/null
}
