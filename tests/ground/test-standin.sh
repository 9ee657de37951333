#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The stand-in against real drivers: each works with its own version and no other.
# shellcheck source=tests/ground/lib.sh
. "$(dirname "$0")/lib.sh"

umds='450.248.02 460.106.00 470.256.02 525.147.05 535.261.03 550.163.01 555.58.02'
kmds="$umds 580.65.06"

# shellcheck disable=SC2086
need_drivers $umds

# $1 what is asked, $2 the answer where the versions agree, $3 where they differ, $4... command;
# @ in it stands for the driver's folder.
matrix() {
    what=$1 same=$2 other=$3
    shift 3
    for u in $umds; do
        got='' wanted=''
        for k in $kmds; do
            line=$(LD_LIBRARY_PATH="$drivers/$u" standin "$k" -- "$@" 2>&1)
            got="$got $(word "$what" "$line")"
            if [ "$k" = "$u" ]; then wanted="$wanted $same"; else wanted="$wanted $other"; fi
        done
        is "$got" "$wanted" "${1##*/} ${2:+${2##*/} }on $u"
    done
}

matrix cuInit 100 803 "$programs/init-dlopen"
matrix nvmlInit_v2 0 18 "$programs/init-ml"

umds='535.261.03 555.58.02' kmds='535.261.03 550.163.01 555.58.02'
for p in linked default getproc plugin; do
    matrix cuInit 100 803 "$programs/init-$p"
done
for c in 11.2.152 11.8.89 12.4.127; do
    need_cudart $c
    matrix cudaGetDeviceCount 100 803 "$programs/init-cudart" "$cudarts/$c/libcudart.so.$c"
done

line=$(LD_LIBRARY_PATH="$drivers/550.163.01" standin 550.163.01 -- "$programs/init-ml")
is "$(word driver "$line")" 550.163.01 "NVML reports the driver's version"
if [ -x "$drivers/550.163.01/nvidia-smi" ]; then
    said=$(LD_LIBRARY_PATH="$drivers/550.163.01" standin 535.261.03 -- \
        "$drivers/550.163.01/nvidia-smi" 2>&1)
    like "$said" '*Driver/library version mismatch*' 'nvidia-smi refuses as on real machines'
fi

# What other libraries and tools ask of a machine with a driver.
standin_says() {
    standin 535.261.03 -- "$@" 2>&1
}
is "$(standin_says stat -c %t:%T:%F /dev/nvidiactl)" \
    'c3:ff:character special file' 'stat of nvidiactl'
like "$(standin_says head -n 1 /proc/driver/nvidia/version)" \
    'NVRM version: NVIDIA UNIX * Kernel Module  535.261.03  *' '/proc/driver/nvidia/version'
is "$(standin_says cat /sys/module/nvidia/version)" 535.261.03 '/sys/module/nvidia/version'
is "$(standin_says sh -c 'test -r /dev/nvidia-uvm && test -d /proc/driver/nvidia && echo yes')" yes \
    'test -r, test -d'
is "$(standin_says grep -c '^nvidia' /proc/modules)" 2 '/proc/modules'
is "$(standin_says ls /proc/driver/nvidia/gpus)" '' 'no GPUs'

said=$(preload=$programs/early.so standin 535.261.03 -- "$programs/init-dlopen" /none 2>&1)
like "$said" 'early: NVRM version: *535.261.03*' 'a constructor before libc has an environment'

make_root "$tmp/root" --kmd 535.261.03 --gpu 'Tesla T4' >/dev/null
export STANDIN_ROOT="$tmp/root"
is "$(standin_says ls /proc/driver/nvidia/gpus)" 0000:01:00.0 'STANDIN_ROOT answers: folder'
like "$(standin_says head -n 1 /proc/driver/nvidia/gpus/0000:01:00.0/information)" '*Tesla T4' \
    'STANDIN_ROOT answers: file'
unset STANDIN_ROOT

like "$(standin '' -- cat /proc/driver/nvidia/version 2>&1)" '*No such file*' \
    'without STANDIN_KMD there is no driver'
# The same kernel as ever, to a driver that is not told of the stand-in.
[ "$(id -u)" != 0 ] || is "$(mknod "$tmp/node" c 195 255 2>/dev/null || echo refused)" refused \
    'a test makes no device nodes'
before=$(ls /dev/nvidia* 2>/dev/null)
for u in $umds; do
    LD_LIBRARY_PATH="$drivers/$u" "$programs/init-dlopen" >/dev/null 2>&1
done
is "$(ls /dev/nvidia* 2>/dev/null)" "$before" 'nor does a real driver without the stand-in'
finish
