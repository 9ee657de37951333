# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# TAP for the shell tests of this folder: source it, call the functions, end with tap_end.
# tap_scratch is a folder of the test's own, removed at the end whatever happens.

tap_count=0
tap_failed=0
tap_scratch=$(mktemp -d "${TMPDIR:-/tmp}/cuarbiter-people.XXXXXX")
tap_cleanup() { :; } # a test may define its own
tap_leave() {
    tap_cleanup
    rm -rf "$tap_scratch"
}
trap tap_leave EXIT
trap 'exit 130' INT TERM HUP

# tap_ok WHAT COMMAND...: passes if the command does.
tap_ok() {
    tap_what=$1
    shift
    tap_count=$((tap_count + 1))
    if "$@"; then
        echo "ok $tap_count - $tap_what"
    else
        tap_failed=1
        echo "not ok $tap_count - $tap_what"
    fi
}

# tap_is WHAT GOT WANTED
tap_is() {
    tap_ok "$1" [ "$2" = "$3" ]
    [ "$2" = "$3" ] || printf '# got:    %s\n# wanted: %s\n' "$2" "$3"
}

# tap_has WHAT TEXT PATTERN: the pattern is the shell's.
tap_has() {
    # shellcheck disable=SC2254
    case $2 in
    $3) tap_ok "$1" true ;;
    *)
        tap_ok "$1" false
        printf '%s\n' "$2" | sed 's/^/# got: /'
        ;;
    esac
}

# tap_skip WHAT WHY: one test of several.
tap_skip() {
    tap_count=$((tap_count + 1))
    if [ "${CUARBITER_MUST_RUN:-}" = 1 ]; then
        tap_failed=1
        echo "not ok $tap_count - $1 (must run here, but: $2)"
    else
        echo "ok $tap_count - $1 # SKIP $2"
    fi
}

# tap_need WHY COMMAND...: the whole test is skipped unless the command succeeds.
tap_need() {
    tap_why=$1
    shift
    "$@" >/dev/null 2>&1 && return
    if [ "${CUARBITER_MUST_RUN:-}" = 1 ]; then
        echo "Bail out! $tap_why"
        exit 1
    fi
    echo "1..0 # SKIP $tap_why"
    exit 77
}

tap_end() {
    echo "1..$tap_count"
    exit $tap_failed
}
