#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Children of a fork beside a thread that holds the locks of ld.so hang where they hang bare, and nowhere
# else. Where they do, how many is chance.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

mkdir "$tmp/home" "$tmp/right" "$tmp/wrong"
cp "$shim" "$tmp/home/"
cp "$build/tests/preload/fake-answerer" "$tmp/home/cuarbiter-answer"
cp "$build/tests/preload/libcuda-right.so" "$tmp/right/libcuda.so.1"
cp "$build/tests/preload/libcuda.so.1" "$tmp/wrong/"
export CUARBITER_SYSROOT=/nonexistent CUA_FAKE_TABLE="named * rename $tmp/right/libcuda.so.1"
export LD_LIBRARY_PATH="$tmp/wrong"
many=60

# WAY mapped|new LIBRARY...
forks() {
    way=$1 when=$2
    shift 2
    LD_PRELOAD=$preload timeout 100 "$built/forks" "$way" "$when" $many "$@" 2>"$tmp/err" || echo "status $?"
}
shimmed() {
    preload=$tmp/home/libcuarbiter.so
    forks "$@"
}
bare() {
    preload=''
    forks "$@"
}

while read -r way when name; do
    is "$(bare "$way" "$when" libm.so.6 libcuda.so.1)" "0 hung, 0 right, $many other" "$name: bare"
    is "$(shimmed "$way" "$when" libm.so.6 libcuda.so.1)" "0 hung, $many right, 0 other" "$name: none hangs"
done <<EOF
reads mapped beside dl_iterate_phdr, what is mapped
closes mapped beside dlopen and dlclose, what is mapped
opens new beside dlopen, what is new
EOF
while read -r way when name; do
    bare=$(bare "$way" "$when" libm.so.6 libcuda.so.1) shimmed=$(shimmed "$way" "$when" libm.so.6 libcuda.so.1)
    is "$((${shimmed%% *} <= ${bare%% *} + many / 3))" 1 "$name: no more than bare: ${shimmed%%,*}, bare ${bare%%,*}"
done <<EOF
reads new beside dl_iterate_phdr, what is new
closes new beside dlopen and dlclose, what is new
EOF
finish
