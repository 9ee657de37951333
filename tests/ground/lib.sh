# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For test scripts: . "$(dirname "$0")/../ground/lib.sh"
#
# Starts the script once more, so that nothing in it can make device nodes (without-nodes), unless
# it says CUARBITER_MKNOD=kept before.
# Prints TAP. What the machine lacks is a skip; with CUARBITER_MUST_RUN=1 a failure,
# but for what a machine can never have (cannot).
#
#   ok NAME / not_ok NAME [WHY] / is GOT WANTED NAME / like GOT PATTERN NAME / finish
#   skip WHY / cannot WHY / need_tool TOOL... / need_drivers VERSION... / need_cudart VERSION...
#   need_root bullseye / in_root bullseye COMMAND... / make_root FOLDER ARGS...
#   standin KMD -- COMMAND... / word KEY LINE
# Sets: ground (built files), programs, drivers, cudarts, roots, tree, tmp (removed at the end).

tree=$(cd "$(dirname "$0")" && while [ ! -e include/cuarbiter ] && [ "$PWD" != / ]; do cd ..; done
    pwd)
[ -n "${CUARBITER_MKNOD:-}" ] ||
    CUARBITER_MKNOD=dropped exec "$tree/tests/ground/without-nodes" "$0" "$@"

cua_cache=${CUARBITER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cuarbiter}
drivers=$cua_cache/drivers
cudarts=$cua_cache/cudart
roots=$cua_cache/roots
tests_run=0
tests_failed=0

# What others may write is no candidate, and a umask of 002 is usual.
umask 022
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cuarbiter-test.XXXXXX")

cua_cleanup() {
    status=$?
    trap - EXIT
    chmod -R u+rwx "$tmp" 2>/dev/null
    rm -rf "$tmp"
    exit $status
}
trap cua_cleanup EXIT
trap 'exit 130' INT TERM HUP

# Exit status 0: to meson any other is an error of a program that speaks TAP.
cannot() {
    if [ $tests_run -gt 0 ]; then
        ok "the rest # SKIP $*"
        finish
    fi
    echo "1..0 # SKIP $*"
    exit 0
}

skip() {
    [ "${CUARBITER_MUST_RUN:-}" = 1 ] || cannot "$@"
    echo "not ok $((tests_run + 1)) - must run, but: $*"
    echo "1..$((tests_run + 1))"
    exit 1
}

ok() {
    tests_run=$((tests_run + 1))
    echo "ok $tests_run - $1"
}

not_ok() {
    tests_run=$((tests_run + 1))
    tests_failed=$((tests_failed + 1))
    echo "not ok $tests_run - $1"
    [ $# -lt 2 ] || printf '%s\n' "$2" | sed 's/^/#   /'
}

is() {
    if [ "$1" = "$2" ]; then
        ok "$3"
    else
        not_ok "$3" "got:    $1
wanted: $2"
    fi
}

# shellcheck disable=SC2254
like() {
    case $1 in
    $2) ok "$3" ;;
    *) not_ok "$3" "got:     $1
pattern: $2" ;;
    esac
}

finish() {
    echo "1..$tests_run"
    [ "$tests_failed" = 0 ]
    exit
}

need_tool() {
    for t in "$@"; do
        command -v "$t" >/dev/null 2>&1 || skip "no $t here"
    done
}

need_drivers() {
    for v in "$@"; do
        [ -e "$drivers/$v/libcuda.so.1" ] || skip "no real driver $v: scripts/fetch-drivers"
    done
}

need_cudart() {
    for v in "$@"; do
        [ -e "$cudarts/$v/libcudart.so.$v" ] || skip "no real cudart $v: scripts/fetch-drivers"
    done
}

need_root() {
    [ "$(id -u)" = 0 ] || cannot "not root"
    unshare -m true 2>/dev/null || cannot "no mount namespaces here"
    [ -e "$roots/$1/.complete" ] || skip "no root file system $1: scripts/fetch-roots"
}

make_root() {
    CUARBITER_GROUND=$ground "$tree/tests/ground/fake/make-root" "$@"
}

# A command on a machine with this kernel driver. $preload, if set, comes before the stand-in.
standin() {
    kmd=$1
    shift
    [ "$1" != -- ] || shift
    (
        export STANDIN_KMD="$kmd" LD_PRELOAD="${preload:+$preload:}$ground/libstandin.so"
        exec "$@"
    )
}

# A command in an old root file system. In there: /mnt/ground, /mnt/cache, /mnt/tmp, /mnt/tree.
# The mounts live and end with the command.
in_root() {
    in=$roots/$1
    shift
    # shellcheck disable=SC2016
    unshare -m sh -c '
        in=$1 && shift
        mount --rbind /proc "$in/proc" && mount --rbind /dev "$in/dev" || exit 125
        for m in ground cache tmp tree; do
            mkdir -p "$in/mnt/$m" && mount --bind "$1" "$in/mnt/$m" || exit 125
            shift
        done
        exec chroot "$in" "$@"' sh "$in" "$ground" "$cua_cache" "$tmp" "$tree" "$@"
}

# The value of a word in a program's line: word cuInit "program=... cuInit=803 ..."
word() {
    case " $2" in
    *" $1="*) rest=${2#*"$1="} && printf '%s\n' "${rest%% *}" ;;
    *) echo "no-$1" ;;
    esac
}

ground=${CUARBITER_GROUND:-$tree/build/tests/ground}
[ -e "$ground/built" ] || {
    ground=$tree/build-ground
    "$tree/tests/ground/build" "$ground" || exit 99
}
# shellcheck disable=SC2034
programs=$ground/programs
