# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2016,SC2034,SC2154
# On top of fixtures/images.sh, for tests of the OCI hook: containers without an engine around the
# runtime.
#
#   bundle NAME FILTER...   the folder $tmp/NAME with a config.json, which jq has changed by each
#                           FILTER; its root is $root, or what a filter sets
#   start RUNTIME NAME      runs it; what it prints, its exit code
#   runtimes                those that are here: runc, crun
#   engine RUNTIME ARGUMENT...   podman with this runtime
#   hook COMMAND...         as a filter: the hook of this command
#   gpu                     as a filter: the container asks for a GPU
#   says SCRIPT             as a filter: a shell executes that

need_runtimes() {
    [ "$(id -u)" = 0 ] || cannot 'not root'
    need_tool jq timeout
    runtimes=
    for each in runc crun; do
        if command -v "$each" >/dev/null; then
            runtimes="$runtimes $each"
        else
            missing "$each" "no $each here"
        fi
    done
    [ -n "$runtimes" ] || cannot 'neither runc nor crun'
    (cd "$tmp" && rm -f config.json && ${runtimes##* } spec)
    mv "$tmp/config.json" "$tmp/spec.json"
}

gpu='.annotations += {"cdi.k8s.io/x": "nvidia.com/gpu=0"}'
hook() {
    "$1/cuarbiter" node --dir "$1" print-oci | jq -c .hooks | sed 's/^/.hooks += /'
}
says() {
    printf '.process.args = ["/bin/sh", "-c", %s]' "$(printf %s "$1" | jq -Rs .)"
}

bundle() {
    mkdir -p "$tmp/$1"
    folder=$tmp/$1
    shift
    jq --arg root "$root" '.process.terminal = false | .process.rlimits = [] |
        .linux.resources = {} | .root = {path: $root, readonly: false}' "$tmp/spec.json" >"$folder/config.json"
    for change in "$@"; do
        jq "$change" "$folder/config.json" >"$folder/next" || return
        mv "$folder/next" "$folder/config.json"
    done
}

# crun needs cgroup2 alone.
under_cgroup2() {
    unshare -m --propagation private sh -c 'umount -R /sys/fs/cgroup 2>/dev/null
        mount -t cgroup2 none /sys/fs/cgroup && exec "$@"' sh "$@"
}
# A runtime reads what its caller would: a list of cases, for one.
start() {
    id=cuarbiter-$$-$(date +%s%N)
    case $1 in
    crun) (cd "$tmp/$2" && under_cgroup2 crun run "$id") ;;
    *) (cd "$tmp/$2" && exec "$1" run "$id") ;;
    esac </dev/null
}

engine() {
    runtime=$1
    shift
    if [ "$runtime" != crun ]; then
        pod "$@"
        return
    fi
    # It makes rules of a cgroup2, which it may not everywhere.
    sed 's/^netns.*/&\ncgroups = "disabled"/' "$CONTAINERS_CONF" >"$tmp/pod/crun.conf"
    CONTAINERS_CONF=$tmp/pod/crun.conf under_cgroup2 podman --root "$tmp/pod/graph" --runroot "$tmp/pod/run" \
        --tmpdir "$tmp/pod/tmp" --storage-driver "$storage" --runtime crun "$@"
}
