#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The libraries that come with a driver: those that libcuda opens are the verdict's, those that talk
# to the kernel driver themselves are native, and a name with an exact version stays what it is.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"

# Which file each name gets: "FOLDER/FILE ..." the folders of the bundled driver and the host by these words.
got() { # bare|shimmed COMMAND
    "$1" "$2" | while read -r name file rest; do
        case $file in
        -) echo "$name=none" ;;
        *)
            folder=$(file_of "$(dirname "$(readlink -f "$(outside "$file")")")")
            if [ "$folder" = "$(file_of "$bundled_folder")" ]; then
                echo "$name=bundled"
            elif [ "$folder" = "$(file_of "$host_folder")" ]; then
                echo "$name=host"
            else
                echo "$name=$file$rest"
            fi
            ;;
        esac
    done | tr '\n' ' '
}

# $1: the value that every name of the list is to have.
each() {
    value=$1
    shift
    for name in "$@"; do printf '%s=%s ' "$name" "$value"; done
}

# --- real drivers
place real
need_drivers 470.256.02 550.163.01
bundled_folder=$drivers/$real_bundled host_folder=$drivers/$real_host
names='libnvidia-ptxjitcompiler.so.1 libnvidia-nvvm.so.4 libcudadebugger.so.1'
# shellcheck disable=SC2086
{
    is "$(got bare "names $names")" "$(each bundled $names)" 'real companions, without'
    is "$(got shimmed "names $names")" "$(each host $names)" 'real companions come from the verdict'
    is "$(got shimmed "names libcuda.so.1 $names")" "$(each host libcuda.so.1 $names)" \
        'real companions, after libcuda'
    is "$(got shimmed "names $wrong/libnvidia-nvvm.so.4")" "$wrong/libnvidia-nvvm.so.4=host " \
        'a companion by its absolute path'
    is "$(got shimmed "names libnvidia-ml.so.1")" "$(each host libnvidia-ml.so.1)" \
        'NVML is the native one'
}

# What works stays: a copy of the verdict's version, but not one that is cut short.
mkdir "$tmp/copied"
for name in $names; do
    file=$(readlink -f "$right/$name")
    cp "$file" "$tmp/copied/"
    ln -s "${file##*/}" "$tmp/copied/$name"
done
path=$tmp/copied:$right
# shellcheck disable=SC2086
{
    is "$(got shimmed "names libcuda.so.1 $names")" "$(got bare "names libcuda.so.1 $names")" \
        'copies of the same version, by name'
    path=$tmp/copied:$wrong:$right
    is "$(got shimmed "names libcuda.so.1 $names")" \
        "$(each host libcuda.so.1)$(got bare "names $names")" 'and beside a redirected libcuda'
    copied=$tmp/copied/libnvidia-ptxjitcompiler.so.1
    is "$(got shimmed "names $copied")" "$(got bare "names $copied")" 'the same by path'
    path=$tmp/copied:$right
    for file in "$tmp/copied"/*."$kmd"; do : >"$file"; done
    is "$(got shimmed "names libcuda.so.1 $names")" "$(each host libcuda.so.1 $names)" \
        'not where they are empty'
}
# 470's nvvm has a number of its own.
link_driver "$tmp/r470" 470.256.02
kmd=470.256.02 path=$wrong:$tmp/r470 host_folder=$drivers/470.256.02
# shellcheck disable=SC2086
is "$(got shimmed "names libcuda.so.1 libnvidia-nvvm.so.4")" "$(each host libcuda.so.1 libnvidia-nvvm.so.4)" \
    "the verdict's, whose name has another number"
kmd=$real_host host_folder=$drivers/$real_host

# Another maker's has no version of a driver's, and whoever keeps his libcuda keeps it, too.
mkdir "$tmp/hook"
cp "$app/mock/libnvcuvid.so.1" "$tmp/hook/libnvidia-ptxjitcompiler.so.1"
hook=libnvidia-ptxjitcompiler.so.1
path=$tmp/hook:$right
for command in "names $hook" "names libcuda.so.1 $hook" "names $tmp/hook/$hook" "names $hook libnvidia-nvvm.so.4"; do
    is "$(got shimmed "$command")" "$(got bare "$command")" "a compiler of another maker: $command"
done
path=$tmp/hook:$wrong:$right
is "$(got shimmed "names libcuda.so.1 $hook")" "$(each host libcuda.so.1 $hook)" \
    'not beside a redirected libcuda, whose compiler it may not be'
path=$wrong:$right

# A DT_RPATH of the program's comes before LD_LIBRARY_PATH, for these names too.
path=$right
# shellcheck disable=SC2086
{
    is "$(got bare "names-rpath $names libnvidia-ml.so.1")" \
        "$(each bundled $names libnvidia-ml.so.1)" 'DT_RPATH to the bundled ones, without'
    is "$(got shimmed "names-rpath $names libnvidia-ml.so.1")" \
        "$(each host $names libnvidia-ml.so.1)" 'DT_RPATH to the bundled ones'
}
# A relative entry leads elsewhere after the decision.
path=.
is "$(word libcuda.so.1 "$(got shimmed \
    "names cd:$right libnvidia-ptxjitcompiler.so.1 cd:$wrong libcuda.so.1")")" \
    ./libcuda.so.1 'a decision belongs to the file that the loader would take: there is no other here'
path=.:$right
is "$(shimmed "env CUARBITER_LOG=info names cd:$wrong libcuda.so.1 2>&1" | grep 'info: redirect: ' | grep -vc 'in later requests')" 1 \
    'nothing is said of later requests'
path=$wrong:$right

is "$(word nvmlInit_v2 "$(bare init-ml)")" 18 'real NVML of the image refuses the kernel driver: 18'
line=$(shimmed init-ml)
is "$(word nvmlInit_v2 "$line") $(word driver "$line")" "0 $real_host" \
    'real NVML initialises, with the native one'
line=$(shimmed "init-ml $wrong/libnvidia-ml.so.1")
is "$(word nvmlInit_v2 "$line") $(word driver "$line")" "0 $real_host" \
    'the same by the absolute path of the other'

# Of another maker, or mapped already: as without.
mock=$app/mock/libnvidia-ml.so.1
for name in "$mock" mock/libnvidia-ml.so.1; do
    is "$(word driver "$(shimmed "init-ml $name")")" mock "an NVML of another maker, by its path: $name"
done
path=$app/mock:$wrong:$right
is "$(word driver "$(shimmed init-ml)")" mock 'an NVML of another maker, found first'
path=$wrong:$right
mkdir "$tmp/mounted" "$tmp/stubs"
cp "$wrong/libnvidia-ml.so.1" "$tmp/mounted/"
is "$(word driver "$(shimmed "init-ml $tmp/mounted/libnvidia-ml.so.1")")" "$real_host" \
    'a real NVML under a name without a version is no such'
cp "$mock" "$tmp/stubs/libnvidia-ml.so"
is "$(word driver "$(shimmed "init-ml $tmp/stubs/libnvidia-ml.so")")" mock \
    'an NVML of another maker, in a folder of stubs'
# A toolkit's warns of itself: its text in a section of its own.
echo 'that is installed with your NVIDIA Display Driver' >"$tmp/warning"
objcopy --add-section warning="$tmp/warning" "$mock" "$tmp/stubs/libnvidia-ml.so"
is "$(word driver "$(shimmed "init-ml $tmp/stubs/libnvidia-ml.so")")" "$real_host" \
    'the link stub of a toolkit is no such'
for mapped in "$wrong/libnvidia-ml.so.1" "$mock"; do
    for command in 'names libnvidia-ml.so.1' "init-ml libnvidia-ml.so.1"; do
        is "$(shimmed "env LD_PRELOAD=\$LD_PRELOAD:$mapped $command")" \
            "$(bare "env LD_PRELOAD=\$LD_PRELOAD:$mapped $command")" \
            "$command, where $mapped is mapped already: as without"
    done
done

smi=$drivers/$real_host/nvidia-smi
if [ -x "$smi" ]; then
    like "$(bare "$smi")" '*Driver/library version mismatch*' 'real nvidia-smi, without'
    # The stand-in has no GPU to show; what nvidia-smi says of that is the measure.
    path=$right
    alone=$(bare "$smi")
    path=$wrong:$right
    is "$(shimmed "$smi")" "$alone" 'real nvidia-smi is as on a machine with the right driver alone'
    case $alone in *mismatch*) not_ok 'which has no mismatch' "$alone" ;; esac
fi

# PTX goes through nvvm and the compiler of the mapped libcuda, whichever that is.
is "$(got shimmed "env LD_PRELOAD=\$LD_PRELOAD:\$wrong/libcuda.so.1 names $names")" \
    "$(
        # shellcheck disable=SC2086
        each bundled $names
    )" 'a libcuda that is mapped already decides about the real companions'

# --- fake drivers, new enough for all companions; the compat one's is refused on a GeForce
machine=$tmp/new kmd=580.95.05 path=$machine/usr/local/cuda/compat:$machine/usr/lib/$(uname -m)-linux-gnu
make_root "$machine" --kmd "$kmd" --gpu 'NVIDIA GeForce RTX 4090' --host-umd "$kmd" \
    --compat 590.48.01 >/dev/null
bundled_folder=$machine/usr/local/cuda/compat host_folder=$machine/usr/lib/$(uname -m)-linux-gnu
names="$names libnvidia-nvvm70.so.4"
bound='libnvidia-ml.so.1 libnvcuvid.so.1 libnvidia-encode.so.1 libnvidia-opticalflow.so.1'
# shellcheck disable=SC2086
{
    is "$(got bare "names $names")" "$(each bundled $names)" 'companions, without'
    is "$(got shimmed "names $names")" "$(each host $names)" 'companions come from the verdict'
    line=$(shimmed "init-companion $names")
    for name in $names; do
        is "$(file_of "$(dirname "$(readlink -f "$(word "$name" "$line")")")")" \
            "$(file_of "$host_folder")" "$name, opened by libcuda"
    done
    is "$(got shimmed "names $bound")" "$(each host $bound)" 'what is bound to the kernel driver'

    # Exact versions: found in the verdict's folder under that very name, else left as they are.
    is "$(got shimmed "names libnvidia-gpucomp.so.$kmd")" "$(each host libnvidia-gpucomp.so.$kmd)" \
        'an exact version that the verdict has'
    other='libnvidia-gpucomp.so.590.48.01 libnvidia-tileiras.so.590.48.01'
    is "$(got shimmed "names $other")" "$(each bundled $other)" \
        'an exact version that only the other has is never renamed'
    is "$(got shimmed 'names libnvidia-gpucomp.so.1.2.3')" 'libnvidia-gpucomp.so.1.2.3=none ' \
        'an exact version that nobody has'
    other='libnvidia-ptxjitcompiler.so.590.48.01'
    is "$(got bare "names $other")" "$(each bundled $other)" 'a companion by its full name, without'

    is "$(got shimmed "env LD_PRELOAD=\$LD_PRELOAD:$bundled_folder/libcuda.so.1 names $names")" \
        "$(each bundled $names)" 'a libcuda that is mapped already decides about the companions'
    is "$(got shimmed "env LD_PRELOAD=\$LD_PRELOAD:$bundled_folder/libcuda.so.1 names $bound")" \
        "$(each host $bound)" 'and not about what is bound to the kernel driver'
}

# A data-centre GPU: the compat driver that the loader takes stays, and NVML is native.
rm -rf "$machine"
make_root "$machine" --kmd "$kmd" --gpu 'NVIDIA A100-SXM4-80GB' --host-umd "$kmd" --compat 590.48.01 \
    >/dev/null
path=$bundled_folder:$host_folder
# shellcheck disable=SC2086
{
    is "$(got bare "names $names")" "$(each bundled $names)" 'compat stays: without'
    is "$(got shimmed "names $names")" "$(each bundled $names)" 'compat stays: companions'
    is "$(got shimmed "names $bound")" "$(each host $bound)" 'compat stays: NVML and the like'
    is "$(got shimmed 'names libnvidia-tileiras.so.590.48.01')" \
        "$(each bundled libnvidia-tileiras.so.590.48.01)" 'compat stays: exact versions'
}

# A folder that lacks a companion: the request stays as it is.
rm "$bundled_folder"/libnvidia-nvvm70*
is "$(got shimmed 'names libnvidia-nvvm70.so.4')" 'libnvidia-nvvm70.so.4=host ' \
    'a companion that the verdict has not'

# The image's word takes the native driver from nobody who shares contexts with what is bound to the
# kernel driver, whether that is mapped or comes in with the same request.
machine=$tmp/hint kmd=575.57.08
bundled_folder=$machine/usr/local/cuda/compat host_folder=$machine/usr/lib/$(uname -m)-linux-gnu
path=$host_folder:$bundled_folder
make_root "$machine" --kmd "$kmd" --gpu 'NVIDIA A100-SXM4-80GB' --host-umd "$kmd" --compat 580.82.07 \
    >/dev/null
opens() { readlink -f "$(word file "$(shimmed "env CUDA_VERSION=13.0.1 open-plain $*")")"; }
is "$(opens lib/needs.so)" "$bundled_folder/libcuda.so.580.82.07" 'the image speaks of CUDA 13'
is "$(opens lib/decodes.so)" "$host_folder/libcuda.so.$kmd" \
    'and what needs libcuda needs the video decoder too'
finish
