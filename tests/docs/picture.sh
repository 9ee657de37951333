#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# README's picture, docs/picture.svg: a terminal, as a run on the pages' machine leaves it.
#
# picture.sh            fails if the picture shows anything else. TAP.
# picture.sh --write    makes it anew
# shellcheck disable=SC1091,SC2154
# Read by lib.sh.
# shellcheck disable=SC2034
CUARBITER_MKNOD=kept
. "$(dirname "$0")/../fixtures/images.sh"
[ "$(id -u)" = 0 ] || cannot 'not root'
need_files
need_root bookworm
need_tool python3 unshare
. "$tree/tests/docs/machine.sh"

picture=$tree/docs/picture.svg
python3 -B "$tree/tests/docs/picture.py" "$tmp/on-machine" >"$tmp/picture.svg" || {
    not_ok 'it is made'
    finish
}
if [ "${1:-}" = --write ]; then
    cp "$tmp/picture.svg" "$picture"
    exit
fi
is "$(diff "$picture" "$tmp/picture.svg")" '' 'README shows what a run shows; else tests/docs/picture.sh --write'
like "$(cat "$picture")" "*The 804 is a fake driver's*" 'and says whose 804 it is'
finish
