#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# firejail, which starts desktop programs with namespaces and a seccomp filter of its own, and passes on
# the status of a child that it hears of. It gives a new /proc, where the machine's kernel driver is not:
# the answerer is one that answers by a table.
# shellcheck source=tests/launchers/lib.sh disable=SC2154
. "$(dirname "$0")/lib.sh"
need_layer firejail firejail

# Below no other container does firejail do anything, unless that is named.
export container=lxc
mkdir "$tmp/home" "$tmp/right" "$tmp/wrong"
cp "$shim" "$tmp/home/"
cp "$build/tests/preload/fake-answerer" "$tmp/home/cuarbiter-answer"
cp "$build/tests/preload/libcuda-right.so" "$tmp/right/libcuda.so.1"
cp "$build/tests/preload/libcuda.so.1" "$tmp/wrong/"
cp "$build/tests/hosting/asker" "$tmp/"
chmod -R a+rX "$tmp"
export CUA_FAKE_TABLE="named * rename $tmp/right/libcuda.so.1"
jailed() { # FIREJAIL-ARGUMENT...
    machine none firejail --quiet --noprofile --env=CUARBITER_SYSROOT=/nonexistent "--env=LD_LIBRARY_PATH=$tmp/wrong" \
        "--env=LD_PRELOAD=$preload" "$@" 2>&1
}
version=$(machine none firejail --version 2>/dev/null | head -n 1)
# The shell in between says its pid in there.
preload=''
like "$(jailed sh -c "echo \$\$; '$tmp/asker' plain")" '[2-9]
2, *' "$version: bare"
preload=$tmp/home/libcuarbiter.so
for options in '' '--caps.drop=all --nonewprivs --noroot'; do
    # shellcheck disable=SC2086
    like "$(jailed $options "$tmp/asker" plain)" '1, *' "$version: ${options:-no option}"
done
# As limits.md has it: firejail itself has no filter, so it looks like the program's own.
like "$(jailed --seccomp "$tmp/asker" plain)" '2, *' "$version: --seccomp: nobody is asked"
like "$(jailed --seccomp sh -c "'$tmp/asker' plain; exit 0")" '1, *' "$version: --seccomp, from a shell in there"
for preload in '' "$tmp/home/libcuarbiter.so"; do
    jailed --seccomp sh -c "'$tmp/asker' plain >/dev/null; exit 7" >/dev/null
    is $? 7 "the status of the program, ${preload:+with the shim}"
done
finish
