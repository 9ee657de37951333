# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC1091,SC2154
# On top of tests/fixtures/lib.sh, for the tests of this folder: . "$(dirname "$0")/lib.sh"
#
#   need_layer NAME PACKAGE...     Debian packages in a folder of the cache: $layer
#   machine NAME COMMAND...        on a machine of scripts/machine, with that layer and /opt/cuarbiter
#   answers TEXT                   each cuInit in it, sorted, with how often it came

. "$(dirname "$0")/../fixtures/lib.sh"

need_tool ip
reason=$("$tree/scripts/machine" --check) || cannot "$reason"
need_drivers 535.261.03 555.58.02
install_files "$tmp/files"
chmod 755 "$tmp" "$tmp/files"
layer=

need_layer() {
    layer=$cua_cache/layers/$1
    shift
    [ -e "$layer/.packages" ] || [ "${CUARBITER_OFFLINE:-}" != 1 ] || cannot "offline, without $*"
    said=$("$tree/scripts/layer" "$layer" "$@" 2>&1) || skip "$said"
}

# With a network of its own: daemons listen there.
machine() {
    name=$1
    shift
    # shellcheck disable=SC2016
    unshare -n sh -c 'ip link set lo up && exec "$@"' sh "$tree/scripts/machine" --files "$tmp/files" ${layer:+--layer "$layer"} "$name" -- "$@"
}

answers() {
    printf '%s\n' "$1" | grep -o 'cuInit=[0-9]*' | sort | uniq -c | sed 's/^ *//' | tr '\n' ' '
}
