#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# load.sh threads | processes | one-by-one | closing: many at once, many in turn, and one that another
# thread closes. All get what they would get alone; memory, descriptors and files are the same
# afterwards.
# LOAD_SECONDS (60), LOAD_ROUNDS (10) of 200 processes, LOAD_PROCESSES (10000)
# shellcheck source=tests/fixtures/private.sh
. "$(dirname "$0")/../fixtures/private.sh"

known_machine "$tmp/machine"
open_machine "$tmp/open"
program=$build/tests/faults/program

# A cache folder of its own, and an end: what is left of it goes with its process namespace.
under() { # SECONDS MACHINE WORD...
    limit=$1 machine=$tmp/$2
    shift 2
    set -- timeout -s KILL "$limit" env XDG_RUNTIME_DIR="$tmp/run" FAKE_ROOT="$machine" CUARBITER_SYSROOT="$machine" \
        LD_LIBRARY_PATH="$machine/usr/local/cuda/compat" LD_PRELOAD="$tmp/home/libcuarbiter.so" "$@"
    if unshare -mp --fork --kill-child true 2>/dev/null; then
        # shellcheck disable=SC2016
        set -- unshare -mp --fork --kill-child sh -c 'mount -t proc proc /proc && exec "$@"' sh "$@"
    fi
    "$@" 2>"$tmp/err"
}

kept() { # names in the cache folder, numbers left out
    find "$tmp/run" -type f -printf '%f\n' | sed 's/[-.][-.0-9a-f]*$//' | sort | uniq -c | tr -s ' \n' ' '
}

few() { # MOST NAME
    n=$(find "$tmp/run" -type f | wc -l)
    if [ "$n" -le "$1" ]; then
        ok "$2: $n files are kept"
    else
        not_ok "$2: files are kept" "$n: $(kept)"
    fi
}

case ${1:-} in
threads)
    seconds=${LOAD_SECONDS:-60}
    got=$(under $((seconds * 3 + 60)) machine "$built/load" threads "$seconds" libcuda.so.1 libm.so.6 \
        "$programs/plugin.so" libz.so.1 libcuda.so.1 "$tmp/machine/usr/local/cuda/compat/libcuda.so.1" ||
        echo "status $?")
    echo "#| threads:" "$(echo "$got" | tr '\n' ' ')"
    like "$got" '* opened, 0 refused, 0 failed; unloaded *; * started, 0 lost
descriptors +0, bytes *' 'each thread got the right one'
    [ ! -s "$tmp/err" ] || echo "#| threads said:" "$(head -c 2000 "$tmp/err")"
    lost=$(echo "$got" | sed -n 's/.*bytes [+]*//p')
    is "$((${lost:-99999999} < 65536))" 1 'no memory is lost'
    few 8 threads
    ;;
processes)
    rounds=${LOAD_ROUNDS:-10}
    under $((rounds * 60 + 60)) open "$built/load" processes 200 "$rounds" "$program" >"$tmp/out"
    is "$?" 0 "$rounds times 200 processes"
    is "$(cat "$tmp/out")" "$((rounds * 200)) times cuInit 0" 'each got the right one'
    echo "#| processes: $((rounds * 200)) started: $(cat "$tmp/out" "$tmp/err" | tr '\n' ' ')"
    few 8 processes
    ;;
one-by-one)
    number=${LOAD_PROCESSES:-10000}
    # Each has a warning of its own.
    under $((number / 10 + 60)) machine "$built/load" one-by-one "$number" /usr/bin/env \
        CUARBITER_LIBCUDA=/none/%N "$program" >"$tmp/out"
    is "$?" 0 "$number processes, one by one"
    is "$(cat "$tmp/out")" "$number times cuInit 0" 'each got the right one'
    echo "#| one by one: $number started: $(cat "$tmp/out") $(kept)"
    few 140 'one by one'
    ;;
closing)
    native=$tmp/machine/usr/lib/x86_64-linux-gnu/libcuda.so.535.161.07 plugin=$programs/plugin.so
    plain=$built/closing-hook.so # a library that needs no libcuda
    for turns in "$native libcuda.so.1" 'libcuda.so.1 libcuda.so.1' 'libcuda.so.1 libcuda.so.1 libcuda.so.1 libcuda.so.1' \
        "libcuda.so.1 $native libcuda.so.1" "libcuda.so.1 $plain $plain libcuda.so.1 $plugin" \
        "libcuda.so.1 $plain $plain libcuda.so.1 $plugin libcuda.so.1"; do
        # shellcheck disable=SC2086
        got=$(FAKE_ROOT=$tmp/machine CUARBITER_SYSROOT=$tmp/machine XDG_RUNTIME_DIR=$tmp/run \
            LD_LIBRARY_PATH=$tmp/machine/usr/local/cuda/compat \
            LD_PRELOAD="$tmp/home/libcuarbiter.so $built/closing-hook.so" "$built/load" turns $turns)
        is "$got" "$(echo "$turns" | sed "s|$plain|-1|g; s/[^ -][^ ]*/0/g; s/-0/-1/g") " "closed just before it is opened: $(echo "$turns" | sed 's|/[^ ]*/||g')"
    done
    ;;
*) exit 2 ;;
esac
is "$(find "$tmp/run" -name '*.lock')" '' 'no lock is left'
is "$(find "$tmp/run" -name '*.[0-9]*')" '' 'nothing half written is left'
finish
