#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/evidence/ways.md says what the table says, and docs/limits.md names all that is out of reach.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"

here=$tree/tests/ways
"$here/make-doc" "$here/table" >"$tmp/ways.md"
is "$(diff "$tree/docs/evidence/ways.md" "$tmp/ways.md" | head -n 5)" '' \
    'docs/evidence/ways.md is as tests/ways/make-doc writes it'

# The first column of the table of limits.md, an item a line.
awk -F ' *[|] *' '/^## / { limits = $0 ~ /does not reach/ }
    limits && /^[|]/ && $2 != "what" && $2 != "---" { print $2 }' "$tree/docs/limits.md" >"$tmp/items"
awk -F '|' '/^#/ || NF < 8 { next }
    { gsub(/^ +| +$/, "", $8); if ($8) print $8 }' "$here/table" | sort -u >"$tmp/limits"

while IFS= read -r limit; do
    if grep -qF -- "$limit" "$tmp/items"; then
        ok "limits.md names: $limit"
    else
        not_ok "limits.md names: $limit"
    fi
done <"$tmp/limits"
[ -s "$tmp/items" ] || not_ok 'limits.md has a table of what is out of reach'
finish
