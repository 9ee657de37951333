#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/make-tables takes the tables of data/ and stops at a row that lacks its source or its
# grade, has the grade of a file's own note, is out of order or has a word that it does not know.
# shellcheck disable=SC1091,SC2154
set -u
. "$(dirname "$0")/../fixtures/lib.sh"
need_tool python3
make=$tree/scripts/make-tables

# NAME FILE SED-EXPRESSION: that table, changed.
refuses() {
    rm -rf "$tmp/data"
    cp -r "$tree/data" "$tmp/data"
    sed "$3" "$tree/data/$2" >"$tmp/data/$2"
    if cmp -s "$tree/data/$2" "$tmp/data/$2"; then
        not_ok "$1" "nothing was changed in $2"
    elif "$make" "$tmp/data" "$tmp/out.c" 2>"$tmp/err"; then
        not_ok "$1"
    else
        like "$(tail -n 1 "$tmp/err")" "$tmp/data/$2:[1-9]*: *" "$1: $(tail -n 1 "$tmp/err" | sed "s|$tmp/||")"
    fi
}

"$make" "$tree/data" "$tmp/out.c"
is $? 0 'takes what is there'
for file in umd forward brands min-cc first-driver toolkit tegra models pci signs; do
    refuses "$file.tsv: no grade" $file.tsv \
        '/^[^#]/{s/\t\(measured\|declared\|guess\)\t\([^\t]*\)$/\t\2/;}'
    refuses "$file.tsv: the grade of a note" $file.tsv \
        '/^[^#]/{s/\t\(measured\|declared\|guess\)\t\([^\t]*\)$/\tnote\t\2/;}'
    refuses "$file.tsv: no source" $file.tsv '/^[^#]/s/\t[^\t]*$/\t/'
done
refuses 'measured.tsv: no source' measured.tsv '/^[^#]/s/\t[^\t]*$/\t/'
refuses 'measured.tsv: an end that is none' measured.tsv 's/\tstarts\t/\tworks\t/'
refuses 'signs.tsv: a test that is none' signs.tsv 's/\tabove\t/\tbelow\t/'
refuses 'signs.tsv: a device that is no pattern' signs.tsv 's,^/dev/cxi[*],/dev/cxi,'
refuses 'umd.tsv: out of order' umd.tsv '/^535\t/s/535/999/'
# The page says how current they are.
for file in umd forward min-cc measured toolkit ptx first-driver; do
    is "$(sed -n "s/^| .$file\.tsv. | \([0-9.]*\) |\$/\1/p" "$tree/data/README.md")" \
        "$(tail -n 1 "$tree/data/$file.tsv" | cut -f 1)" "data/README.md: where $file.tsv ends"
done
refuses 'models.tsv: a brand that is none' models.tsv 's/\tgeforce\t/\tgforce\t/'
refuses 'models.tsv: a capability that is none' models.tsv 's/\t8.9\t/\t89\t/'
refuses 'umd.tsv: twice' umd.tsv '/^535\t/p'
finish
