#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter status of another process.

# shellcheck source=tests/command/status-lib.sh
. "$(dirname "$0")/status-lib.sh"

machines geforce tesla

version=$("$cuarbiter" --version | sed -n 's/^cuarbiter //p')
LD_PRELOAD=$files/libcuarbiter.so CUARBITER_SYSROOT=$tmp/tesla CUARBITER_POLICY=host sleep 60 &
other=$!
sleep 0.2
run status --pid $other --json
is "$(json '[.process.pid, .process.name, .shim.active, .shim.through[0], .policy.kind]|@csv')" \
    "$other,\"sleep\",true,\"LD_PRELOAD\",\"auto\"" 'another process: its preload, not its policy or sysroot'
is "$(json .shim.version)" "$version" 'and the version of its shim'
schema 'another process'
run status --pid $other
like "$out" "Now *
Process         $other sleep (*/sleep)
                No libcuda is loaded so far.*" 'in words'
kill $other
wait $other 2>/dev/null
LD_LIBRARY_PATH=/nowhere "$(echo /lib*/ld-linux-"$(uname -m | tr _ -)".so.?)" \
    --library-path "$tmp/tesla$lib" /bin/sleep 60 &
other=$!
sleep 0.2
run status --pid $other --json
is "$(json "any(.candidates[]; .path|startswith(\"$tmp/tesla\"))")" true 'another process: what its ld.so was given'
kill $other
wait $other 2>/dev/null
cp "$fixtures/fake/companion.so" "$tmp/libcudart.so.12"
python3 -c "
import ctypes, sys, time
ctypes.CDLL('$tmp/libcudart.so.12')
ctypes.CDLL('$tmp/tesla$lib/libcuda.so.1')
print(flush=True)
time.sleep(60)" >"$tmp/loaded" &
other=$!
while [ ! -s "$tmp/loaded" ]; do sleep 0.1; done
run status --pid $other --json
is "$(json '.process.mapped|map(.kind + " " + .path)|join(";")')" \
    "libcuda $tmp/tesla$lib/libcuda.so.535.161.07" 'what it has mapped'
is "$(json '[.toolkit.cuda, .toolkit.kind, .toolkit.source]|join(" ")')" '12.0 least libcudart.so.12' \
    'and what that shows of its CUDA'
schema 'a runtime that is mapped'
# Memory that has a name, as prctl(2) gives it (PR_SET_VMA_ANON_NAME), which not every kernel does.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    { cat "/proc/$other/maps" && for name in libcudart.so.13 libcuda.so.1 libcuda.so.1.x; do
        echo "7fff00000000-7fff00001000 rw-p 00000000 00:00 0                          [anon:a/$name]"
    done; } >"$tmp/maps"
    out=$(unshare -m sh -c 'mount --bind "$1" "/proc/$2/maps" && exec "$3" status --pid "$2" --json' sh "$tmp/maps" $other "$cuarbiter")
    is "$(json '[(.process.mapped|map(.path)|join(" ")), .toolkit.source]|join(" ")')" \
        "$tmp/tesla$lib/libcuda.so.535.161.07 libcudart.so.12" 'memory whose name has a slash is no file'
else
    ok 'memory whose name has a slash is no file # SKIP not root'
fi
rm "$tmp/tesla$lib/libcuda.so.535.161.07"
run status --pid $other --json
is "$(json '.process.mapped[0].gone')" true 'a file that was replaced since'
run status --pid $other
like "$out" "*libcuda.so.535.161.07 (the file was deleted or replaced since)*" 'in words'
kill $other
wait $other 2>/dev/null
run status --pid $other
is "$rc:$err" "3:cuarbiter: process $other: No such process" 'a process that is gone'

# In a root of its own. What its environment puts before facts is its own business.
elsewhere() { # ROOT: the version of its kernel driver; the text is in $tmp/text
    : >"$tmp/loaded"
    CUARBITER_SYSROOT=/machine python3 -c "
import os, time
os.chroot('$1')
print(flush=True)
time.sleep(60)" >"$tmp/loaded" &
    other=$!
    while [ ! -s "$tmp/loaded" ]; do sleep 0.1; done
    "$cuarbiter" status --pid $other >"$tmp/text"
    run status --pid $other --json
    json .kmd.version
    kill $other
    wait $other 2>/dev/null
}
if [ "$(id -u)" = 0 ]; then
    mkdir -p "$tmp/own"
    cp -r "$tmp/geforce" "$tmp/own/machine"
    is "$(elsewhere "$tmp/own")" null 'another process, whose environment has a sysroot'
    mkdir -p "$tmp/geforce/tmp/nvidia-mps"
    mkfifo "$tmp/geforce/tmp/nvidia-mps/control" # nobody reads it
    is "$(elsewhere "$tmp/geforce")" 535.161.07 'another process, in its own root'
    like "$(tr -s '\n ' ' ' <"$tmp/text")" '* every GPU is visible An MPS daemon is taken to be running: its socket or pipe is there. *' 'a daemon of another process is not asked'
else
    ok 'a process in a root of its own # SKIP not root'
fi

finish_status
