#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command line: help, version, mistakes, output that cannot be written.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"

verbs='status inspect trial run explain doctor report matrix cdi dockerfile install uninstall path'

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
        like "$out" '*Exit code*' "$verb --help lists its exit codes"
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
run help nosuch
is "$rc:$out:$err" "2::cuarbiter: nosuch: there is no such verb
Try 'cuarbiter --help'." 'help of no verb'
for slip in statsu statu Status sttaus; do
    run "$slip"
    like "$rc:$out:$err" "2::cuarbiter: $slip: there is no such verb; did you mean 'status'[?]*" "$slip: what was meant"
done
run status --kdm 535.1
like "$err" '*--kdm: there is no such option; did you mean --kmd[?]*' 'an option too'
run status --json=x
like "$err" 'cuarbiter: status: --json: takes no value*' 'a value for an option without one'
run explain 804 -xy
like "$err" 'cuarbiter: explain: -x: there is no such option*' 'a group of short options behind an argument'

# One exit code and one wording where a file of the command line is not there.
for command in 'status --sysroot' inspect trial 'run --libcuda' 'cdi --dir' 'cdi --merge' \
    'matrix --machines /dev/null --images' 'matrix --images / --machines' 'install --root' \
    'uninstall --root'; do
    # shellcheck disable=SC2086 # words
    run $command /nonexistent/file
    is "$rc:$out:$err" '2::cuarbiter: /nonexistent/file: No such file or directory' "$command: no such file"
done

# --output has all of it, or the file stays.
echo before >"$tmp/kept"
run status --json --output "$tmp/kept" --nonsense
is "$(cat "$tmp/kept")" before 'refused: the file stays'
"$cuarbiter" status --json >"$tmp/wanted" || :
run status --json --output "$tmp/kept"
is "$out:$(cat "$tmp/kept")" ":$(cat "$tmp/wanted")" '--output: what would go to stdout'
is "$(find "$tmp" -name 'kept*')" "$tmp/kept" 'nothing is left beside it'
ln -s kept "$tmp/link"
"$cuarbiter" status --prom --output "$tmp/link"
is "$(test -L "$tmp/link" && head -c 6 "$tmp/kept")" '# HELP' 'a link stays one'
run status --output /nonexistent/folder/file
is "$rc:$out:$err" \
    '2::cuarbiter: /nonexistent/folder: No such file or directory; make that folder first' '--output where no folder is'
run report --output /dev/full
is "$rc:$err" '5:cuarbiter: /dev/full: No space left on device' '--output to a full disk: which file'
run status --output /proc/no-such
is "$rc:$out:$err" '2::cuarbiter: /proc/no-such: No such file or directory' 'where nothing can be made, though the folder is there'

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
for slip in 5355.161.07 535.1610.07 535.161.070 0535.161.07 5.161; do
    wrong status --kmd $slip
    wrong code --kmd $slip /etc/passwd
    echo "a,$slip,,," >"$tmp/slip.csv"
    run matrix --images / --machines "$tmp/slip.csv"
    is "$rc:$err" "2:cuarbiter: $tmp/slip.csv: line 1: the second field is not a driver version" "matrix: $slip"
done
wrong status --cc 9
wrong status --gpu A --cc 8.0 --cc 9.0
like "$err" "*cuarbiter: status: more --cc than --gpu*" 'why'
wrong status --kmd 535.1x
like "$err" 'cuarbiter: status: 535.1x: --kmd is *' 'what was given'
wrong status --json --prom
wrong status --mounted
wrong status --unmounted
wrong status --sysroot /nonexistent
wrong status --sysroot /etc/passwd
wrong status --pid 1 --sysroot /
wrong status --env A=b
wrong status --sysroot / --env A
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

missing_one() { # VERB OPTION...: what does not exist ends with 2, as the verb's help says
    "$cuarbiter" "$@" >/dev/null 2>&1
    is "$? $("$cuarbiter" "$1" --help | tr -s '\n' ' ' | grep -c '2: wrong usage, or .* does not exist')" '2 1' \
        "$*: the help has that exit code"
}
for words in 'status --sysroot' 'matrix --machines /dev/null --images' 'install --root' 'uninstall --root' \
    'node print --dir' 'node check --sysroot' 'code /dev/null --libcuda' 'cdi --dir' 'summary' 'inspect' 'trial'; do
    # shellcheck disable=SC2086
    missing_one $words /nonexistent
done

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
