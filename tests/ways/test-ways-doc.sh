#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/ways.md says what the table says, and the README's limits name what is out of reach: all of
# it, and nothing else.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"

here=$tree/tests/ways
"$here/make-doc" "$here/table" >"$tmp/ways.md"
is "$(diff "$tree/docs/ways.md" "$tmp/ways.md" | head -n 5)" '' \
    'docs/ways.md is as tests/ways/make-doc writes it'

# The README's list under "Out of reach", an item a line.
awk '/^## / { limits = $0 ~ /Limits/ }
    limits && /^- / { listed = /Out of reach/; next }
    listed && /^  - / { if (item) print item; item = substr($0, 5); next }
    listed && /^    / { item = item " " substr($0, 5) }
    END { if (item) print item }' "$tree/README.md" >"$tmp/items"
awk -F '|' '/^#/ || NF < 8 { next }
    { gsub(/^ +| +$/, "", $8); if ($8) print $8 }' "$here/table" | sort -u >"$tmp/limits"

while IFS= read -r limit; do
    if grep -qF -- "$limit" "$tmp/items"; then
        ok "the README names: $limit"
    else
        not_ok "the README names: $limit"
    fi
done <"$tmp/limits"
while IFS= read -r item; do
    row=''
    while IFS= read -r limit; do
        case $item in *"$limit"*) row=$limit ;; esac
    done <"$tmp/limits"
    if [ -n "$row" ]; then
        ok "a row shows: $item"
    else
        not_ok "a row shows: $item"
    fi
done <"$tmp/items"
[ -s "$tmp/items" ] || not_ok 'the README has a list of what is out of reach'
finish
