#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An ordinary program does the same with the shim as without: output, errors, exit status and the
# files it leaves, in each state of the machine. TAP.
#
#   same.sh PROGRAM
#
# PROGRAM names a script in programs/; its "# needs:" line names tools, its first argument is the
# folder with the script's data.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"
# shellcheck source=tests/bystanders/lib.sh
. "$(dirname "$0")/lib.sh"

program=$tree/tests/bystanders/programs/$1.sh
name=$1
# shellcheck disable=SC2046
need_tool $(sed -n 's/^# needs: //p' "$program")
make_states

# Always in the same folder, so that paths in the output are the same too.
attempt() { # STATE bare|shimmed
    rm -rf "${tmp:?}/home"
    mkdir "$tmp/home"
    (
        cd "$tmp/home" || exit
        in_state "$1" "$2" env HOME="$tmp/home" LC_ALL=C.UTF-8 TZ=UTC sh "$program" >"$tmp/out" 2>&1
        echo "exit status $?" >>"$tmp/out"
        find . -type f ! -name '*.volatile' -exec cksum {} + | sort -k 3 >>"$tmp/out"
    )
    mv "$tmp/out" "$tmp/$2.out"
}

for state in $states; do
    attempt "$state" bare
    attempt "$state" shimmed
    if ! grep -q '^exit status 0$' "$tmp/bare.out"; then
        not_ok "$name, $state libcuda: it runs at all" "$(cat "$tmp/bare.out")"
    elif difference=$(diff "$tmp/bare.out" "$tmp/shimmed.out"); then
        ok "$name, $state libcuda"
    else
        not_ok "$name, $state libcuda" "$difference"
    fi
done
finish
