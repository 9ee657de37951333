#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The fakes obey the rules that real drivers were seen to follow.
# shellcheck source=tests/ground/lib.sh
. "$(dirname "$0")/lib.sh"

host=/usr/lib/$(uname -m)-linux-gnu
compat=/usr/local/cuda/compat
n=0

# A new root; $root names it.
root() {
    n=$((n + 1))
    root=$tmp/root$n
    make_root "$root" "$@" >/dev/null || echo "Bail out! make-root $*"
}

# $1 folder in the root, $2 the word wanted, the rest: program and arguments
ask() {
    folder=$1 what=$2 program=$3
    shift 3
    line=$(FAKE_ROOT=$root LD_LIBRARY_PATH=$root$folder "$programs/$program" "$@" 2>&1) 2>/dev/null
    word "$what" "$line"
}

# $1 host's answer, $2 compat's, $3 name
both() {
    is "$(ask "$host" cuInit init-dlopen) $(ask $compat cuInit init-dlopen)" "$1 $2" "$3"
}

machine() {
    kmd=$1 umd=$2 gpu=$3
    shift 3
    root --kmd "$kmd" --host-umd "$kmd" --compat "$umd" --gpu "$gpu" "$@"
}

machine 535.261.03 575.57.08 'NVIDIA GeForce RTX 4090'
both 0 804 'GeForce: compat refuses the brand'
is "$(CUDA_VISIBLE_DEVICES='' ask $compat cuInit init-dlopen)" 100 'nothing visible'
is "$(FAKE_BRANDS=TESLA ask $compat cuInit init-dlopen)" 0 'FAKE_BRANDS'
is "$(FAKE_CUINIT=999 ask "$host" cuInit init-dlopen)" 999 'FAKE_CUINIT'
machine 535.261.03 575.57.08 'Tesla T4'
both 0 0 'Tesla: both work'
machine 555.58.02 575.57.08 'NVIDIA GeForce RTX 4090'
both 0 803 '803 is decided before 804'
machine 590.48.01 575.57.08 'Tesla T4'
both 0 803 'a compat older than the kernel driver'
machine 580.126.16 580.82.07 'NVIDIA H100 80GB HBM3' --open
both 0 803 'older within one branch'
machine 580.82.07 580.126.16 'NVIDIA H100 80GB HBM3' --open
both 0 0 'newer within one branch'
machine 545.29.06 560.28.03 'Tesla T4' --note none
both 0 803 'no note, no such branch in the table'
machine 580.65.06 590.44.01 'Tesla V100-SXM2-16GB'
both 0 0 'a dropped GPU still initialises'
machine 535.261.03 575.57.08 'Tesla T4' --note '{"format":1,"driver":[570],"device":[2]}'
both 0 803 'the note is obeyed'
root --host-umd 535.261.03
both 100 no-cuInit 'no kernel driver'

root --kmd 535.261.03 --host-umd 535.261.03 --compat 575.57.08 --gpu 'NVIDIA GeForce RTX 4090' \
    --gpu 'NVIDIA L20'
both 0 804 'one of two GPUs refuses'
is "$(CUDA_VISIBLE_DEVICES=1 ask $compat cuInit init-dlopen)" 0 'only the other is visible'
uuid=$(sed -n 's/^GPU UUID: *	* *//p' "$root/proc/driver/nvidia/gpus/0000:02:00.0/information")
is "$(CUDA_VISIBLE_DEVICES=$uuid ask $compat cuInit init-dlopen)" 0 'the same by UUID'

note='{"format":1,"CUDA version":"12.9","driver":[535,550,560,565,570,575],"device":[1,2,7,8,9,10,11,12,13,14]}'
hex=$(printf '%s\0' "$note" | od -An -v -tx1 | tr -d ' \n')
said=$(readelf -nW "$root$compat/libcuda.so.575.57.08" 2>/dev/null)
like "$said" '*.note.cuda.fwd_compatibility*NVIDIA?Corporation*' 'readelf shows the note'
like "$(printf '%s' "$said" | tr -d ' \n')" "*descriptiondata:$hex*" 'and its text'
like "$(readelf -lW "$root$compat/libcuda.so.1")" '*NOTE*.note.cuda.fwd_compatibility*' \
    'a program header covers it'
is "$(readelf -nW "$root$host/libcuda.so.1" | grep -c fwd_compat)" 0 'the native one has none'

is "$(ask "$host" libnvidia-ptxjitcompiler.so.1 init-companion libnvidia-ptxjitcompiler.so.1)" \
    "$root$host/libnvidia-ptxjitcompiler.so.1" 'a companion is found by its SONAME'
is "$(ask "$host" nvmlInit_v2 init-ml)" 0 'NVML of the same version'
root --kmd 535.261.03 --host-umd 550.163.01
is "$(ask "$host" nvmlInit_v2 init-ml)" 18 'NVML of another version'
both 803 no-cuInit 'a native driver of another version'

root --kmd 535.261.03 --stub /stub --compat 575.57.08:/hang,hang --compat 575.57.08:/fork,fork \
    --compat 575.57.08:/fix,cuinit=802 --compat 575.57.08:/cut,truncated \
    --compat 575.57.08:/foreign,foreign --gpu 'Tesla T4'
is "$(ask /stub cuInit init-dlopen libcuda.so)" 34 'a link stub'
is "$(ask /fork cuInit init-dlopen)" 0 'one that forks'
is "$(ask /fix cuInit init-dlopen)" 802 'one with a fixed answer'
is "$(ask /cut cuInit init-dlopen) $(ask /foreign cuInit init-dlopen)" 'no-cuInit no-cuInit' \
    'damaged and foreign files do not load'
FAKE_ROOT=$root timeout 1 "$programs/init-dlopen" "$root/hang/libcuda.so.1" >/dev/null
is $? 124 'one that never returns'

for p in linked plugin default getproc; do
    is "$(ask /fix cuInit init-$p)" 802 "init-$p"
done
mkdir -p "$tmp/app/bundled"
cp "$programs/init-rpath" "$programs/init-plugin" "$tmp/app"
cp "$programs/plugin-rpath.so" "$tmp/app/plugin.so"
cp "$root/fix/libcuda.so.575.57.08" "$tmp/app/bundled/libcuda.so.1"
is "$(word cuInit "$("$tmp/app/init-rpath")")" 802 'DT_RPATH leads to the bundled one'
is "$(word cuInit "$("$tmp/app/init-plugin")")" 802 'so does that of a plugin'

floor=$(for f in "$ground"/libstandin.so "$ground"/fake/*.so "$programs"/*; do
    readelf -VW "$f" | grep -o 'GLIBC_[0-9.]*'
done | sort -Vu | tail -n 1)
is "$(printf '%s\nGLIBC_2.17\n' "$floor" | sort -V | tail -n 1)" GLIBC_2.17 \
    "runs on old systems: $floor"
finish
