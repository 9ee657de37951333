#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a program that never calls dlopen asks of the kernel: with the shim the same calls as bare,
# and those that map one file, which are those of an empty preload. TAP.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"
# shellcheck source=tests/bystanders/lib.sh
. "$(dirname "$0")/lib.sh"

need_tool strace
strace -o /dev/null true 2>/dev/null || cannot "processes cannot be traced here"
make_states
mkdir "$tmp/emptypath"
cp "$build/tests/bystanders/bystanders-empty.so" "$tmp/emptypath/libcuarbiter.so"

# Addresses differ from run to run, sizes from file to file.
calls() { # PRELOAD|'' PROGRAM...
    preload=$1
    shift
    strace -f -o "$tmp/trace" ${preload:+-E LD_PRELOAD="$preload"} "$@" >/dev/null
    sed -E -e 's/^[0-9]+ +//' -e "s,$tmp/[^/]*/,," -e 's/0x[0-9a-f]+/ADDRESS/g' \
        -e 's/st_size=[0-9]+/SIZE/' -e 's/ADDRESS, [0-9]+/ADDRESS, SIZE/' \
        -e 's/NULL, [0-9]+/NULL, SIZE/' -e 's/st_mode=S_IFREG\|[0-9]+/MODE/' \
        -e 's,/\* [0-9]+ vars,/* N vars,' -e 's/, 3, (ADDRESS|0)\)/, 3, OFFSET)/' \
        -e 's/"\\177ELF.*/ELF/' -e 's/(brk|set_tid_address|arch_prctl|getrandom|rseq)\(.*/\1/' \
        "$tmp/trace"
}

for program in "$(command -v true)" "$(command -v ls)"; do
    name=${program##*/}
    calls '' "$program" / >"$tmp/bare"
    calls "$tmp/emptypath/libcuarbiter.so" "$program" / >"$tmp/empty"
    for state in $states; do
        (
            [ "$state" = none ] || export CUARBITER_SYSROOT="$tmp/$state"
            calls "$tmp/cuarbiter/libcuarbiter.so" "$program" /
        ) >"$tmp/shimmed"
        difference=$(diff "$tmp/empty" "$tmp/shimmed") &&
            ok "$name, $state libcuda: the calls of an empty preload" ||
            not_ok "$name, $state libcuda: the calls of an empty preload" "$difference"
    done
    # fstat has two names, by the age of glibc.
    more=$(diff "$tmp/bare" "$tmp/shimmed" | sed -n -e 's/newfstatat(3, "".*/fstat/' \
        -e 's/^> \([a-z0-9_]*\).*/\1/p' | sort | uniq -c | tr -s ' ' | tr -d '\n')
    fewer=$(diff "$tmp/bare" "$tmp/shimmed" | grep '^<' | grep -v -e access -e '^< execve')
    is "$fewer" '' "$name: no call is missing"
    case $(uname -m) in
    x86_64) is "$more" ' 1 close 1 fstat 2 mmap 1 mprotect 1 openat 1 read' "$name: and no other" ;;
    esac
done
finish
