#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Beside another preload that has its own version of a function which shim or engine call: programs
# run, with the right libcuda, and are given what they are given bare.
#
#   company.sh BEHAVIOUR ROOT...
#
# constructors: the preload's pointers are set in its constructor. edits: it sets a variable at its
# first call. ROOT: here, or a root file system of scripts/fetch-roots.
# shellcheck source=tests/fixtures/private.sh
. "$(dirname "$0")/../fixtures/private.sh"
need_tool "${CC:-cc}"
behaviour=${1:?behaviour}
shift

mkdir "$tmp/hooks" "$tmp/other"
cp "$build/tests/preload/libleaf.so" "$tmp/other/libcuarbiter.so"
known_machine "$tmp/machine"
names=$(sed -n 's/^    "\(.*\)\\0".*/\1/p' "$build/shim/imports.inc")
hooks=''
for name in $names; do
    "${CC:-cc}" -O1 -fPIC -shared -w -fno-builtin -fno-stack-protector -U_FORTIFY_SOURCE -DHOOKED="$name" -D"$behaviour" -o "$tmp/hooks/$name" \
        "$tree/tests/preload/company-hook.c" -Wl,--no-as-needed -l:libdl.so.2 2>"$tmp/err" || {
        not_ok "a hook of $name is built" "$(cat "$tmp/err")"
        finish
    }
    hooks="$hooks MNT/hooks/$name"
done
"${CC:-cc}" -O1 -fPIC -shared -w -U_FORTIFY_SOURCE -fno-stack-protector -o "$tmp/opener.so" \
    "$tree/tests/preload/company-opener.c" -Wl,--no-as-needed -l:libdl.so.2 || exit 99
# A hook that has no constructor works before they have run.
early=804
[ "$behaviour" = constructors ] || early=0
for root in "$@"; do
    case $root in
    here)
        # shellcheck disable=SC2046,SC2086
        out=$("$tree/tests/preload/company-runs" "$tmp" "$programs" "$early" $(echo "$hooks" | sed "s,MNT,$tmp,g"))
        ;;
    *)
        need_root "$root"
        # shellcheck disable=SC2046,SC2086
        out=$(in_root "$root" /mnt/tree/tests/preload/company-runs /mnt/tmp /mnt/fixtures/programs "$early" \
            $(echo "$hooks" | sed 's,MNT,/mnt/tmp,g'))
        ;;
    esac
    echo "$out" | grep '^# .*: bare' | sed 's/ .*//;s/^/# bare too: /' | sort | uniq -c | head -n 40
    is "$(echo "$out" | grep -v '^# .*: bare\|^runs')" '' \
        "$root: beside $(echo "$names" | wc -l) hooks, $(echo "$out" | sed -n 's/^runs //p') runs"
done
finish
