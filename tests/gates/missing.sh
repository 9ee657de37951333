#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# meson setup without one of what building needs stops with one line that says how to get it.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

need_tool meson ninja
[ "$(id -u)" = 0 ] || cannot 'not root'
# shellcheck disable=SC2016
without='mount -t tmpfs none /run && mkdir /run/upper /run/work &&
    mount -t overlay none /usr -o lowerdir=/usr,upperdir=/run/upper,workdir=/run/work || exit 125
    find /usr/include /usr/lib /usr/share -name "$1" -delete && shift && exec "$@"'
unshare -m sh -c "$without" sh none true 2>/dev/null || cannot 'no mount namespaces with overlays here'

setup() { # FILE OPTION...
    file=$1
    shift
    rm -rf "$tmp/build"
    unshare -m sh -c "$without" sh "$file" meson setup "$tmp/build" "$tree" "$@" 2>&1
}

for pair in gelf.h:libelf yaml.h:libyaml uthash.h:uthash jsmn.h:jsmn 'cmocka*:cmocka'; do
    said=$(setup "${pair%:*}") && code=0 || code=$?
    is "$code" 1 "without ${pair#*:}: stops"
    like "$(printf '%s\n' "$said" | grep ERROR)" \
        "*ERROR: *${pair#*:} missing: scripts/deps build *-Dtests=false*" "without ${pair#*:}: one line"
done
said=$(setup 'cmocka*' -Dtests=false) && code=0 || code=$?
is "$code" 0 'without cmocka and without tests: sets up'
finish
