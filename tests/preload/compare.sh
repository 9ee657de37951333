#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One small program bare and under the shim: the same output, errors, messages and exit status.
# Alone; with an engine that leaves everything as it is, on a machine with an NVIDIA driver; with an
# engine that is missing, damaged or of another contract; and first and last beside other preloads.
# A program that did not come to its end compares nothing: its status is 99, timeout's or a signal's.
#
#   compare.sh PROGRAM
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"
export emulator
program=$built/program-$1
name=${program##*/}

# The shim looks for the engine in the folder that it was named in.
home() { # NAME [ENGINE]
    mkdir "$tmp/$1"
    ln -s "$shim" "$tmp/$1/libcuarbiter.so"
    [ -z "${2:-}" ] || ln -s "$2" "$tmp/$1/cuarbiter-answer"
}

run() { # LD_PRELOAD FILE
    status=0
    # Set behind `timeout`, which need not be of the program's architecture.
    # shellcheck disable=SC2016
    preload=$1 timeout 60 sh -c 'LD_PRELOAD=$preload exec $emulator "$@"' sh "$program" "$built" \
        >"$2" 2>"$2.err" || status=$?
    echo "status $status" >>"$2"
    # Logged where libcuda is asked for and the engine cannot be used.
    grep -v '^cuarbiter: error: no-answerer: ' "$2.err" >>"$2"
}

same() { # NAME BARE SHIMMED
    run "$2" "$tmp/bare"
    ended=$status
    run "$3" "$tmp/shimmed"
    if [ "$ended" -ge 99 ]; then
        not_ok "$name $1" "it does not come to its end bare: status $ended, after $(tail -n 2 "$tmp/bare" | head -n 1)"
    elif difference=$(diff "$tmp/bare" "$tmp/shimmed"); then
        ok "$name $1"
    else
        not_ok "$name $1" "$difference"
    fi
}

home alone
home fake "$built/fake-answerer"
home foreign "$built/foreign-answerer"
echo 'no library' >"$tmp/text"
home damaged "$tmp/text"
s=$tmp/alone/libcuarbiter.so

same 'alone' '' "$s"
export CUARBITER_SYSROOT=/nonexistent
same 'with NVIDIA and no engine' '' "$s"
same 'with NVIDIA and an engine' '' "$tmp/fake/libcuarbiter.so"
same 'with an engine of another contract' '' "$tmp/foreign/libcuarbiter.so"
same 'with a damaged engine' '' "$tmp/damaged/libcuarbiter.so"
LD_BIND_NOW=1
export LD_BIND_NOW
same 'bound at once' '' "$tmp/fake/libcuarbiter.so"
unset LD_BIND_NOW

s=$tmp/fake/libcuarbiter.so
for other in "$built/needs-libcuda.so" libjemalloc.so.2 libtcmalloc_minimal.so.4 \
    faketime/libfaketime.so.1 libeatmydata.so.1; do
    case $other in
    /*) ;;
    *)
        [ -z "$emulator" ] || continue
        found=$(ls "/usr/lib/$(uname -m)-linux-gnu/$other" 2>/dev/null) || {
            missing "$name beside ${other##*/}" "no ${other##*/} here"
            continue
        }
        other=$found
        ;;
    esac
    same "before ${other##*/}" "$other" "$s:$other"
    same "behind ${other##*/}" "$other" "$other:$s"
done
finish
