#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `meson install` puts where, held against installed.txt.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"
need_tool meson jq

option() {
    meson introspect "$build" --buildoptions | jq -r ".[] | select(.name == \"$1\").value"
}

meson install -C "$build" --no-rebuild --destdir "$tmp/to" >"$tmp/log" 2>&1 ||
    not_ok 'meson install' "$(tail -n 5 "$tmp/log")"
to=$(realpath "$tmp/to")
find "$to" -type f -printf '/%P %m\n' >"$tmp/found"
find "$to" -type l | while read -r link; do
    echo "${link#"$to"} -> $(realpath "$link" | sed "s,^$to,,")"
done >>"$tmp/found"
# mandir lies in datadir.
for folder in libdir bindir mandir datadir; do
    sed -i "s,$(option prefix)/$(option $folder)/,{$folder}/,g" "$tmp/found"
done
is "$(LC_ALL=C sort "$tmp/found")" "$(cat "$tree/tests/gates/installed.txt")" 'what is installed, and where'
finish
