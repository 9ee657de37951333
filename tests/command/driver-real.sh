#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real driver, 555.58.02 as Debian has it, packed as NVIDIA packs its archives: brought, given to a
# program, and removed while that runs. On the stand-in it loads and finds its companions; it does
# not answer 0 there.

# shellcheck source=tests/command/driver-lib.sh
. "$(dirname "$0")/driver-lib.sh"
need_drivers 555.58.02 535.261.03
need_tool python3 xz jq
version=555.58.02

for kind in compat lib; do
    case $kind in
    compat) in=$tmp/$kind/cuda_compat-linux-x86_64-${version}_cuda12.5-archive ;;
    lib) in=$tmp/$kind/nvidia_driver-linux-x86_64-$version-archive ;;
    esac
    mkdir -p "$in/$kind"
    cp -a "$drivers/$version"/lib* "$in/$kind/"
    echo licence >"$in/LICENSE"
    tar -C "$tmp/$kind" -I 'xz -0' -cf "$tmp/$kind.tar.xz" .
    run driver --store "$tmp/$kind-store" add "$tmp/$kind.tar.xz"
    like "$rc:$err:$out" "0::*$version was added*" "in $kind"
    is "$(cd "$tmp/$kind-store/$version" && echo ./*)" "./LICENSE ./libcuda.so.1 ./libcuda.so.$version ./libcudadebugger.so.1 ./libcudadebugger.so.$version ./libnvidia-nvvm.so.4 ./libnvidia-nvvm.so.$version ./libnvidia-ptxjitcompiler.so.1 ./libnvidia-ptxjitcompiler.so.$version ./manifest.json" \
        "in $kind: libcuda and its companions, not NVML"
    run driver --store "$tmp/$kind-store" check
    is "$rc" 0 "in $kind: whole"
    run inspect --json "$tmp/$kind-store/$version/libcuda.so.1"
    is "$(json '.[0] | [.version, .cuda, .companions] | join(" ")')" "$version 12.5 true" "in $kind: inspect"
done

# A program takes it, and opens the PTX compiler after it was removed.
cat >"$tmp/program.py" <<'END'
import ctypes, sys, time
def mapped(name):
    return sorted({line.split()[-1] for line in open('/proc/self/maps') if name in line})
ctypes.CDLL('libcuda.so.1')
print(*mapped('libcuda.so'), flush=True)
sys.stdin.readline()
ctypes.CDLL('libnvidia-ptxjitcompiler.so.1')
print(*mapped('ptxjitcompiler'), flush=True)
END
mkfifo "$tmp/go"
at=$tmp/compat-store/$version
(
    preload=$files/libcuarbiter.so
    export CUARBITER_LIBCUDA="$at/libcuda.so.1" CUARBITER_TRIAL=never LD_LIBRARY_PATH="$drivers/535.261.03"
    standin 535.261.03 -- python3 "$tmp/program.py" <"$tmp/go" >"$tmp/said" 2>"$tmp/program.err"
) &
exec 9>"$tmp/go"
for _ in $(seq 100); do [ -s "$tmp/said" ] || sleep 0.1; done
is "$(cat "$tmp/said")" "$at/libcuda.so.$version" 'a program has it by CUARBITER_LIBCUDA'
run driver --store "$tmp/compat-store" remove $version
is "$rc" 0 'removed while the program runs'
echo >&9
exec 9>&-
wait
is "$(tail -n 1 "$tmp/said")" "$at/libnvidia-ptxjitcompiler.so.$version" 'its PTX compiler is found still, and is of the same driver'
finish
