#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Requests for libcuda that do not reach the shim: doctor says so. UCX in its three ways to hook memory.
# shellcheck disable=SC1091,SC2154
. "$(dirname "$0")/../fixtures/images.sh"
need_files
need_drivers 535.261.03 555.58.02
kmd=535.261.03
export LD_LIBRARY_PATH="$drivers/555.58.02:$drivers/$kmd"

answer() { # bare|shim ARGUMENT...: what cuInit answers
    preload=
    [ "$1" = bare ] || preload=$files/libcuarbiter.so
    shift
    word cuInit "$(preload=$preload standin $kmd -- "$built/unreached" "$@" 2>&1 | tr "\n" " ")"
}
# The report of doctor, in one line.
report() {
    standin $kmd -- "$files/cuarbiter" doctor -- "${program:-$built/unreached}" "$@" 2>&1 | tr -s '\n ' '  '
}
sees=$(getconf GNU_LIBC_VERSION | awk -F '[ .]' '{print ($3 >= 35)}')
unreached='*why *bypassed cuarbiter*cuInit 803 *'

is "$(answer bare libc), $(answer shim libc)" '803, 803' "libc's own dlopen: as without the shim"
if [ "$sees" = 1 ]; then
    like "$(report libc)" "$unreached" 'and doctor says why'
    case $(LD_LIBRARY_PATH=$drivers/$kmd report libc) in
    *'not reach the shim'*) not_ok 'but not where nothing had to be changed' ;;
    *) ok 'but not where nothing had to be changed' ;;
    esac
fi

# A library that the program is linked with has a function of libc's name: cuarbiter calls none.
if command -v cc >/dev/null; then
    echo 'unsigned geteuid(void); unsigned geteuid(void) { return 0; }' |
        cc -shared -fPIC -nostdlib -x c - -o "$tmp/libown.so"
    cc -w "$tree/tests/fixtures/programs/app.c" "-I$tree/tests/fixtures/programs" -o "$tmp/app" -Wl,--no-as-needed "$tmp/libown.so" -ldl
    [ "$sees" != 1 ] || like "$(program=$tmp/app report)" '*redirect: libcuda.so.1 leads to *cuInit 100 *' \
        "beside a linked library's own function"
else
    missing "a linked library's own function" 'no cc here'
fi

ucs=$(ldconfig -p | sed -n 's/.*libucs\.so\.0 .* => //p' | head -n 1)
ucm=$(ldconfig -p | sed -n 's/.*libucm\.so\.0 .* => //p' | head -n 1)
if [ -z "$ucs" ] || [ -z "$ucm" ]; then
    missing 'UCX' 'no libucx0 here; scripts/deps real'
    finish
fi
is "$(answer bare ucx "$ucs" "$ucm"), $(answer shim ucx "$ucs" "$ucm")" '803, 100' 'UCX as it is'
ucx() { # MODE WANTED
    export UCX_MEM_MMAP_HOOK_MODE="$1"
    is "$(answer bare ucx "$ucs" "$ucm"), $(answer shim ucx "$ucs" "$ucm")" "803, $2" \
        "UCX_MEM_MMAP_HOOK_MODE=$1: bare and with the shim"
}
ucx bistro 100
ucx none 100
ucx reloc 803
[ "$sees" != 1 ] || like "$(report ucx "$ucs" "$ucm")" "$unreached" 'reloc: doctor says why'
finish
