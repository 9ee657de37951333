# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC1091,SC2154
# On top of tests/ground/lib.sh, for the tests of this folder: . "$(dirname "$0")/lib.sh"
#
#   missing NAME WHY       one test of several that this machine cannot run
#   that NAME GOT WANTED   is, with the name first, for long GOTs
#   need_files             files=FOLDER with the three files and the entry point, as one copies them
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
    cp ${CUARBITER_FILES:?} "$tree/scripts/cuarbiter-entrypoint" "$tree/recipes/ld.so.preload" \
        "$files/"
    chmod 755 "$tmp" "$files"
}

need_podman() {
    [ "$(id -u)" = 0 ] || cannot 'not root'
    need_tool podman buildah runc
    mkdir "$tmp/pod"
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
driver = "vfs"
graphroot = "$tmp/pod/graph"
runroot = "$tmp/pod/run"
END
}

# The storage is said twice: podman's own helpers, which tidy up after a container, see the arguments
# and not the environment.
pod() {
    podman --root "$tmp/pod/graph" --runroot "$tmp/pod/run" --tmpdir "$tmp/pod/tmp" \
        --storage-driver vfs "$@"
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
