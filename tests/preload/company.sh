#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Beside another preload that has its own version of one of libc's functions: programs
# run, with the right libcuda, and are given what they are given bare.
#
#   company.sh BEHAVIOUR ROOT...
#
# constructors: the preload's pointers are set in its constructor. edits: it sets a variable at its
# first call. locks: it looks for a library at its first call, under a lock. needs: it defines none of
# them, but needs libcuda itself. ROOT: here, or a root file system of scripts/fetch-roots.
# shellcheck source=tests/fixtures/private.sh
. "$(dirname "$0")/../fixtures/private.sh"
need_tool "${CC:-cc}"
behaviour=${1:?behaviour}
shift

mkdir "$tmp/hooks" "$tmp/other"
cp "$build/tests/preload/libleaf.so" "$tmp/other/libcuarbiter.so"
known_machine "$tmp/machine"
names=$(grep -v '^#' "$tree/tests/preload/company-names")
hooks=''
needs=''
if [ "$behaviour" = needs ]; then
    names=sysinfo needs=$tmp/machine/usr/local/cuda/compat/libcuda.so.1
fi
if [ "$behaviour" = locks ]; then # malloc and the like serve dlopen itself
    names=$(echo "$names" | grep -vxE 'calloc|clock_gettime|dl_iterate_phdr|dlopen|free|getpid|malloc|mmap(64)?|munmap|realloc|strn?dup')
fi
for name in $names; do
    "${CC:-cc}" -O1 -fPIC -shared -w -fno-builtin -fno-stack-protector -U_FORTIFY_SOURCE -DHOOKED="$name" -D"$behaviour" -o "$tmp/hooks/$name" \
        "$tree/tests/preload/company-hook.c" -Wl,--no-as-needed -l:libdl.so.2 $needs 2>"$tmp/err" || {
        not_ok "a hook of $name is built" "$(cat "$tmp/err")"
        finish
    }
    hooks="$hooks MNT/hooks/$name"
done
"${CC:-cc}" -O1 -fPIC -shared -w -U_FORTIFY_SOURCE -fno-stack-protector -o "$tmp/opener.so" \
    "$tree/tests/preload/company-opener.c" -Wl,--no-as-needed -l:libdl.so.2 || exit 99
# What a constructor opens beside a hook gets the right one too.
early=0
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
    echo "$out" | sed -n 's/^# \([^ ]*\) .*: bare.*/\1/p' | uniq -c | sed 's/^ */# bare too: /' | head -n 40
    is "$(echo "$out" | grep -v '^# .*: bare\|^runs')" '' \
        "$root: beside $(echo "$names" | wc -l) hooks, $(echo "$out" | sed -n 's/^runs //p') runs"
done
# The price for the other programs of such a container: what is called until the hook shows what the
# process was given, which takes more calls the more variables there are. A decision on a machine of
# files takes 275 to 305: each part of a path is opened by itself.
calls() { # FOLDER-OF-PRELOAD FOLDER...
    strace -f -o "$tmp/trace" -E LD_PRELOAD="$1/libcuarbiter.so:$tmp/hooks/sysinfo" -E LD_LIBRARY_PATH="$2:$3" \
        -E FAKE_ROOT="$tmp/machine" -E CUARBITER_SYSROOT="$tmp/machine" -E CUARBITER_TRIAL=never /bin/true 9>/dev/null
    sed '/"\/proc\/self\/cmdline"/,$d' "$tmp/trace" | wc -l
}
if [ "$behaviour $1" = 'needs here' ] && strace -o /dev/null true 2>/dev/null; then
    native=$(echo "$tmp"/machine/usr/lib/*-linux-gnu) compat=${needs%/*}
    bare=$(calls "$tmp/other" "$native" "$compat")
    right=$(calls "$tmp/home" "$native" "$compat") wrong=$(calls "$tmp/home" "$compat" "$native")
    echo "#| /bin/true beside an agent: $bare calls, right libcuda $right, wrong one $wrong"
    is "$((right - bare <= 120))" 1 'at most 120 calls more where it has the right one'
    is "$(grep -c 'execve(.* = 0' "$tmp/trace")" 2 'a second start where it has the wrong one'
    is "$((wrong - 2 * bare <= 350))" 1 'and at most 350 calls'
fi
finish
