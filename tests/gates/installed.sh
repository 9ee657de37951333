#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `meson install` puts where, held against installed.txt: installed.sh BUILD NAME=FOLDER...
# The list says {NAME} for FOLDER; where one lies in another, the inner one comes first.
# shellcheck disable=SC1091,SC2154 # set by lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"
need_tool meson

meson install -C "$1" --no-rebuild --destdir "$tmp/to" >"$tmp/log" 2>&1 ||
    not_ok 'meson install' "$(tail -n 5 "$tmp/log")"
shift
to=$(realpath "$tmp/to")
find "$to" -type f -printf '/%P %m\n' >"$tmp/found"
find "$to" -type l | while read -r link; do
    echo "${link#"$to"} -> $(realpath "$link" | sed "s,^$to,,")"
done >>"$tmp/found"
for word; do
    sed -i "s,${word#*=}/,{${word%%=*}}/,g" "$tmp/found"
done
is "$(LC_ALL=C sort "$tmp/found")" "$(cat "$tree/tests/gates/installed.txt")" 'what is installed, and where'
finish
