#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each gate refuses a file that breaks it; otherwise a gate that went blind would never be noticed.
#
#   bad.sh [CC...]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cuarbiter-gates.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP
tests=0 failed=0
cc=${*:-cc}

build() { # SOURCE FLAGS...: $tmp/lib.so
    printf '%s\n' "$1" >"$tmp/lib.c"
    shift
    # shellcheck disable=SC2086
    $cc -D_GNU_SOURCE -O1 -fPIC -shared -nostartfiles -o "$tmp/lib.so" "$tmp/lib.c" "$@" 2>"$tmp/warnings" || {
        cat "$tmp/warnings" >&2
        exit 1
    }
}

refuses() { # NAME GATE ARGS...: for the file built last
    tests=$((tests + 1))
    name=$1 gate=$2
    shift 2
    if "$here/gate.sh" "$gate" "$tmp/lib.so" "$@" >"$tmp/out"; then
        failed=1
        echo "not ok $tests - refuses $name"
        sed 's/^/#   /' "$tmp/out"
    else
        echo "ok $tests - refuses $name"
    fi
}

: >"$tmp/empty"
printf 'exit\n' >"$tmp/list"

build 'int cua_one, two;'
refuses 'an export too many' exports cua_one
refuses 'a missing export' exports cua_one two three
refuses 'a missing need' needs libm.so.6
case $($cc -dumpmachine) in
aarch64*) unmarked=-mbranch-protection=none ;;
*) unmarked=-fcf-protection=none ;;
esac
build 'int cua_one;' $unmarked
refuses 'missing marks' marks
build 'const char cua_table[4200] = {0}, cua_end[2] = {1, 1};'
refuses 'a page of zeros' image
build 'int cua_one;' -Wl,--no-as-needed -lm
refuses 'a need too many' needs libc.so.6
build 'void exit_(void); void cua_one(void) { exit_(); }'
refuses 'an import whose name only begins as a listed one' imports "$tmp/list"
build 'int openat64(int, const char *, int, ...); int cua_one(void) { return openat64(0, "", 0); }'
refuses 'an import that is not listed' imports "$tmp/list"
build '#include <unistd.h>
int cua_one(void) { return getentropy((void *)0, 0); }'
refuses 'a symbol of glibc 2.25' versions
build '__thread int cua_one;'
refuses 'thread-local memory' image
build 'int cua_one;' -Wl,-z,execstack
refuses 'an executable stack' image
build 'int cua_one;' -Wl,-z,norelro
refuses 'writable relocations' image
build 'int cua_one;' -Wl,-rpath,/opt/lib -Wl,--enable-new-dtags
refuses 'a RUNPATH' image
build 'int cua_one;' -Wl,-rpath,/opt/lib -Wl,--disable-new-dtags
refuses 'an RPATH' image
build '__asm__(".section .both,\"awx\",%progbits\n.byte 1\n.text\n"); int cua_one;' \
    -Wl,-z,norelro
refuses 'writable code' image
build 'int cua_one; __asm__(".text\n.balign 8\n.quad cua_one\n");' -Wl,-z,notext
refuses 'a text relocation' image
build 'int cua_one;' -Wl,-z,execstack
refuses 'an executable stack' static
build 'int cua_one;' -Wl,-rpath,/opt/lib
refuses 'a search path' static
build 'int cua_one;' -Wl,--no-as-needed -lm
refuses 'a need' static
build 'int cua_one; void _start(void) { }' -pie -fPIE
refuses 'an interpreter' static
build "const char cua_one[] = \"$tmp/lib.c\";"
refuses 'a build folder' paths "$tmp"
echo 'not a library' >"$tmp/lib.so"
refuses 'what is no ELF file' image
rm "$tmp/lib.so"
mkdir "$tmp/lib.so"
printf 'int two;\n' >"$tmp/lib.c"
# shellcheck disable=SC2086
$cc -c -o "$tmp/lib.so/lib.o" "$tmp/lib.c"
refuses 'a name without cua_' linkage "$tmp/empty"

echo "1..$tests"
exit $failed
