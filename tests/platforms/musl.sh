#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program of another libc maps the shim, and nothing else changes for it.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

need_tool musl-gcc

install_files "$tmp/cuarbiter"
shim=$tmp/cuarbiter/libcuarbiter.so
echo 'int one;' >"$tmp/library.c"
musl-gcc -shared -fPIC -o "$tmp/library.so" "$tmp/library.c"
musl-gcc -D_GNU_SOURCE -o "$tmp/program" "$tree/tests/platforms/musl.c"
musl-gcc -static -D_GNU_SOURCE -o "$tmp/static" "$tree/tests/platforms/musl.c"

run() { # VARIABLE... PROGRAM
    env "$@" "$tmp/library.so" 2>&1
    echo "exit status $?"
}

bare=$(run "$tmp/program")
got=$(run LD_PRELOAD="$shim" "$tmp/program")
is "$(printf '%s\n' "$got" | grep -v "^mapped: $shim\$")" "$bare" 'a program runs as without it'
is "$(printf '%s\n' "$got" | grep -c "^mapped: $shim\$" | sed 's/[1-9][0-9]*/some/')" some \
    'the shim is mapped'
# With NVIDIA present the shim would look at libraries; under musl it does not even then.
got=$(run LD_PRELOAD="$shim" CUARBITER_SYSROOT=/nowhere CUARBITER_LOG=debug "$tmp/program")
is "$(printf '%s\n' "$got" | grep -v "^mapped: $shim\$")" "$bare" 'also when asked to say more'
is "$(run LD_PRELOAD="$shim" "$tmp/static")" "$(run "$tmp/static")" 'a static program'
finish
