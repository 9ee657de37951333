#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter driver add, where a program that gets a brought driver would get another one then: it says
# which, and needs --yes. Where nothing changes it asks nothing.

# shellcheck source=tests/command/driver-lib.sh
. "$(dirname "$0")/driver-lib.sh"
need_tool jq script

for version in 560.35.05 570.86.15 580.65.06 580.95.05 590.48.01 595.45.04; do
    layout $version "$tmp/in/$version"
done
mkdir "$tmp/none"
add() { # VERSION [OPTION...]: from a folder
    version=$1
    shift
    run driver --store "$store" add "$tmp/in/$version" "$@" </dev/null
}
empty() { # [VERSION...]: a store with these
    rm -rf "$store"
    for version in "$@"; do
        add "$version" --yes
    done
}
asked() { # VERSION SENTENCE
    add "$1"
    is "$rc:$err" "1:cuarbiter: $tmp/in/$1: not added: $2; pass --yes if you want that" "$1: refused"
    is "$(stored | grep -c "^$1\|^[.]new")" 0 "$1: nothing is left behind"
    add "$1" --dry-run
    is "$rc:$err:$(echo "$out" | sed -n '3,$p')" "0::changes  $2" "$1: --dry-run"
    is "$(stored | grep -c "^$1\|^[.]new")" 0 "$1: --dry-run adds nothing"
    add "$1" --yes
    is "$rc:$err:$(echo "$out" | sed -n 3,4p)" "0::changes  $2
$1 was added" "$1: --yes"
}
silent() { # VERSION NAME
    add "$1" --dry-run
    is "$rc:$err:$(echo "$out" | grep -c changes)" "0::0" "$2: --dry-run"
    add "$1"
    is "$rc:$err:$(echo "$out" | sed -n 3p)" "0::$1 was added" "$2"
}
with() { # MACHINE-SWITCHES...: on that machine
    rm -rf "$tmp/machine"
    make_root "$tmp/machine" "$@" >/dev/null
    export CUARBITER_SYSROOT="$tmp/machine"
}

# A machine without a driver: the store may be for another one.
export CUARBITER_SYSROOT="$tmp/none"
empty
silent 580.95.05 'the first'
silent 580.65.06 'an older build of the same CUDA'
asked 590.48.01 'programs of CUDA 13.1 and later get 580.95.05 now; if 590.48.01 is added, they get this one instead'
add 590.48.01
is "$rc:$err:$(echo "$out" | sed -n 3p)" '0::590.48.01 is already there' 'again'
asked 595.45.04 'programs of CUDA 13.2 and later get 590.48.01 now; if 595.45.04 is added, they get this one instead'
empty 580.65.06 590.48.01
asked 580.95.05 'programs of CUDA 13.0 get 580.65.06 now; if 580.95.05 is added, they get this one instead'
empty 560.35.05 595.45.04
asked 580.95.05 'programs of CUDA 12.7 to 13.0 get 595.45.04 now; if 580.95.05 is added, they get this one instead'
empty 590.48.01
asked 570.86.15 'programs of CUDA 12.0 to 12.8 get 590.48.01 now; if 570.86.15 is added, they get this one instead'
run driver --store "$store" remove 570.86.15
asked_again=$(cd "$tmp" && "$cuarbiter" driver --store store add in/570.86.15 2>&1 </dev/null | tail -n 1)
like "$asked_again" '*not added: programs of CUDA 12.0 to 12.8 get 590.48.01 now; *' 'one that was removed; a store by a relative path'

# A terminal is asked.
answer() { # ANSWER
    out=$(echo "$1" | script -qec "'$cuarbiter' driver --store '$store' add '$tmp/in/580.95.05'; echo \$?" /dev/null | tr -d '\r')
}
empty 590.48.01
answer n
like "$out" '*Add it? [[]y/N] *cuarbiter: *: not added
1' 'a terminal: no'
answer y
like "$out" '*changes  programs of CUDA 13.0 get 590.48.01 now; *Add it? [[]y/N] *580.95.05 was added*0' 'a terminal: yes'

# NVIDIA's archives, before they are fetched.
empty 580.95.05
run driver --store "$store" add 13.1 --dry-run
is "$rc:$err:$(echo "$out" | sed -n '6,$p')" \
    '0::changes  programs of CUDA 13.1 and later get 580.95.05 now; if 590.48.01 is added, they get this one instead' 'of the table: --dry-run'
run driver --store "$store" add 13.1 </dev/null
is "$rc:$err" \
    '1:cuarbiter: 13.1: not added: programs of CUDA 13.1 and later get 580.95.05 now; if 590.48.01 is added, they get this one instead; pass --yes if you want that' \
    'of the table: refused'
run driver --store "$store" add 13.1 --dry-run --json
is "$(json '[.version, .added, .changes] | tojson')" \
    '["590.48.01",false,[{"from":"13.1","to":null,"now":"580.95.05","then":"590.48.01"}]]' 'of the table: as JSON'
add 560.35.05 --dry-run --json
is "$(json '[.version, .added, .changes] | tojson')" \
    '["560.35.05",false,[{"from":"12.0","to":"12.6","now":"580.95.05","then":"560.35.05"}]]' 'of a folder: as JSON'
add 580.65.06 --json
is "$(json '[.version, .added, .changes] | tojson')" '["580.65.06",true,[]]' 'no change: as JSON'
run driver --store "$store" add 580.95.05 --dry-run
is "$(echo "$out" | grep -c changes)" 0 'one that is there'

# This machine: its programs, and what runs on it.
with --kmd 535.161.07 --host-umd 535.161.07 --gpu 'NVIDIA A100-SXM4-80GB'
empty 580.95.05
silent 570.86.15 "an A100: no program of CUDA 12 gets a brought one"
asked 590.48.01 'programs of CUDA 13.1 and later get 580.95.05 now; if 590.48.01 is added, they get this one instead'
empty 580.95.05
with --kmd 535.161.07 --host-umd 535.161.07 --gpu 'Tesla V100-SXM2-32GB'
silent 590.48.01 'a V100, on which 590 does not run'
empty 580.95.05
with --kmd 535.161.07 --host-umd 535.161.07 --gpu 'NVIDIA GeForce RTX 4090'
silent 590.48.01 'a GeForce, which gets none'
rm -rf "$tmp/in/580.95.05"
layout 580.95.05 "$tmp/in/580.95.05" compat nonote
empty 580.95.05
with --kmd 550.54.15 --host-umd 550.54.15 --gpu 'NVIDIA A100-SXM4-80GB'
silent 590.48.01 'nothing shows that the first runs here'
run driver --store "$store" add --dry-run --for-gpu A100 --kmd 535.161.07 --cuda 13.2
like "$out" '*changes  programs of CUDA 13.2 and later get 590.48.01 now; if 595.45.04 is added, *' 'a described machine counts'
finish
