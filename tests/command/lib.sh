# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For the tests of the command: the fixtures, and the three files in one folder, $files.
# shellcheck disable=SC2034 # what is set here is for those that read this

# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

files=$tmp/cuarbiter
install_files "$files"
cuarbiter=$files/cuarbiter
odd=$built/odd-driver.so
# Nothing of this machine or its user.
unset CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER CUDA_VERSION CONDA_PREFIX
export XDG_RUNTIME_DIR="$tmp/run"
mkdir -m 700 "$tmp/run"

# Runs the command; $out, $err and $rc are what came of it.
run() {
    rc=0
    "$cuarbiter" "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
    out=$(cat "$tmp/out")
    err=$(cat "$tmp/err")
}

# The same with a site file of this text: in a mount namespace of its own, with a copy of /etc.
has_own_etc() {
    [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || return 1
    [ -d "$tmp/etc" ] || cp -a /etc "$tmp/etc"
}

# shellcheck disable=SC2016
with_etc() {
    unshare -m sh -c 'mount --bind "$1" /etc && shift && exec "$@"' sh "$tmp/etc" "$@"
}

run_with_site() { # TEXT COMMAND...
    # shellcheck disable=SC2059
    printf "$1\n" >"$tmp/etc/cuarbiter.conf"
    shift
    rc=0
    with_etc "$cuarbiter" "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
    out=$(cat "$tmp/out")
    err=$(cat "$tmp/err")
}

# A member of the JSON in $out: json .works
json() {
    printf '%s' "$out" | jq -r "$1"
}
