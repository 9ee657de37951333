#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter driver add and remove that are killed before each change of a file: what has a version's
# name is whole, what was there stays, and the next command finds its way.

# shellcheck source=tests/command/driver-lib.sh
. "$(dirname "$0")/driver-lib.sh"
[ "$(uname -m)" = x86_64 ] || cannot 'kill-at reads the registers of x86_64'
"$built/kill-at" 1 true 2>/dev/null
[ $? -lt 2 ] || cannot 'processes cannot be traced here'
layout 590.48.01 "$tmp/nv"
layout 580.65.06 "$tmp/before"
tar -C "$tmp/nv" -cJf "$tmp/file.tar.xz" .
"$cuarbiter" driver --store "$store" add "$tmp/before" >/dev/null

# NAME AFTER COMMAND...: AFTER is a command that comes to its end then, whatever was done before.
everywhere() {
    name=$1 after=$2
    shift 2
    points=0 bad=
    while :; do
        points=$((points + 1))
        [ "$name" = add ] || "$cuarbiter" driver --store "$store" add --yes "$tmp/nv" >/dev/null
        "$built/kill-at" $points "$cuarbiter" driver --store "$store" "$@" >"$tmp/log" 2>&1 || break
        "$cuarbiter" driver --store "$store" check >"$tmp/checked" 2>&1 || bad="$bad $points:$(cat "$tmp/checked")"
        # shellcheck disable=SC2086
        "$cuarbiter" driver --store "$store" $after >"$tmp/log" 2>&1 || bad="$bad $points:again:$(cat "$tmp/log")"
        [ -z "$(find "$store" -name '.[ng]*')" ] || bad="$bad $points:left"
        "$cuarbiter" driver --store "$store" check 580.65.06 >/dev/null || bad="$bad $points:before"
        [ "$name" != add ] || "$cuarbiter" driver --store "$store" remove --now 590.48.01 >/dev/null
    done
    is "$bad" '' "$*: killed at each of $((points - 1)) points"
    is "$((points > ${least:-10}))" 1 'which are some'
}
everywhere add "add --yes $tmp/file.tar.xz" add --yes "$tmp/file.tar.xz"
everywhere add "add --yes $tmp/nv" add --yes "$tmp/nv"
least=1
everywhere remove "add --yes $tmp/nv" remove 590.48.01
everywhere remove "add --yes $tmp/nv" remove --now 590.48.01
finish
