#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command line: help, version, mistakes, output that cannot be written.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"

verbs='status inspect trial run explain doctor matrix cdi dockerfile install uninstall path'

run --help
is "$rc" 0 'help: exit code'
for verb in $verbs; do
    like "$out" "*
  $verb *" "help names $verb"
    run "$verb" --help
    is "$rc:$err" 0: "$verb --help: exit code, nothing on stderr"
    like "$out" "Usage: *cuarbiter $verb*" "$verb --help says how"
    case $verb in
    status | inspect | trial | run | explain | matrix | path)
        like "$out" '*Exit code*' "$verb --help tells its exit codes"
        ;;
    esac
    run --help
done
for verb in $verbs; do
    long=$("$cuarbiter" "$verb" --help | awk 'length > 100')
    is "$long" '' "$verb --help: no line above 100 columns"
done
run help status
like "$out" 'Usage: cuarbiter status*' 'help VERB'

run --version
is "$rc" 0 'version: exit code'
like "$out" 'cuarbiter [0-9]*.[0-9]*.[0-9]*
data of 20[0-9][0-9]-[0-9][0-9]-[0-9][0-9], driver branches up to [0-9][0-9][0-9]*' 'version, data, newest branch'

# ARGUMENTS: every one is a wrong command line
wrong() {
    run "$@"
    is "$rc:$out" 2: "usage: $*"
    like "$err" 'cuarbiter: *' "usage: $*: cuarbiter: what: why"
}
wrong nonsense
wrong --nonsense
wrong status --nonsense
wrong status -x
wrong status something
wrong status --pid
wrong status --pid x
wrong status --pid 0
wrong status --pid -1
wrong status --policy best
wrong status --toolkit new
wrong status --kmd 535
wrong status --kmd ''
wrong status --kmd 535.1x
wrong status --cc 9
wrong status --gpu A --cc 8.0 --cc 9.0
like "$err" "cuarbiter: status: more --cc than --gpu*" 'why'
wrong status --kmd 535.1x
like "$err" 'cuarbiter: status: 535.1x: --kmd is *' 'what was given'
wrong status --json --prom
wrong status --mounted
wrong status --sysroot /nonexistent
wrong status --sysroot /etc/passwd
wrong status --pid 1 --sysroot /
wrong inspect
wrong inspect --nonsense x
wrong path here
wrong trial
wrong trial a b
wrong trial --timeout 0 x
wrong trial --timeout 601 x
wrong trial --timeout 1x x
wrong trial --timeout
wrong run
wrong run --
wrong run --policy best true
wrong run --log loud true
wrong run --nonsense true
wrong explain
wrong explain --list native
wrong matrix
wrong matrix --images /
wrong matrix --machines /dev/null
wrong matrix --images / --machines /dev/null --env NAME
wrong matrix --images /nonexistent --machines /dev/null
wrong matrix --images / --machines /nonexistent

run
is "$rc:$out" 2: 'nothing at all'

run status --js
like "$out" '{*' 'options may be shortened'

full() { # RC ARGUMENT...: to a full disk
    wanted=$1
    shift
    rc=0
    "$cuarbiter" "$@" >/dev/full 2>"$tmp/err" || rc=$?
    is "$rc:$(cat "$tmp/err")" "$wanted:cuarbiter: standard output: No space left on device" \
        "$* to a full disk"
}
full 5 --version
full 5 --help
full 5 explain --list
full 5 status
full 5 status --json

finish
