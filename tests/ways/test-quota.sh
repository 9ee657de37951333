#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A library that meters a driver for a tenant lies under the names of libcuda and NVML. The program
# keeps it, whatever it has of NVIDIA's marks. NVIDIA's own are known for what they are. On fake drivers.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
may_lack jq
place fake
need_tool "${CC:-cc}"
code=2 # what the quota's cuInit answers

# NAME SONAME CC-ARGUMENT...: the quota under both names
quota() {
    rm -rf "$tmp/quota" && mkdir -p "$tmp/quota"
    soname=$2 name=$1
    shift 2
    ${CC:-cc} -shared -fPIC -O1 ${soname:+"-Wl,-soname,$soname"} -o "$tmp/quota/$name" "$@" \
        "$tree/tests/ways/programs/quota.c"
    for link in libcuda.so.1 libnvidia-ml.so.1; do
        [ "$name" = "$link" ] || ln -s "$name" "$tmp/quota/$link"
    done
}

cuda_stays() { # WHY
    for how in bare shimmed; do
        line=$($how init-dlopen | grep '^program=')
        is "$(readlink -f "$(word file "$line")") $(word cuInit "$line")" "$tmp/quota/$name $code" \
            "libcuda: $1, $how"
    done
}

nvml_stays() { # WHY
    for how in bare shimmed; do
        is "$(word driver "$($how init-ml)")" quota "NVML: $1, $how"
    done
}

path=$tmp/quota:$wrong:$right
quota libcuda-control.so libcuda-control.so -DQUOTA_CUDA -DQUOTA_ML -DQUOTA_IOCTL
cuda_stays 'one file for both, a SONAME of its own'
nvml_stays 'one file for both, a SONAME of its own'
quota libcuda-control.so '' -DQUOTA_CUDA -DQUOTA_ML -DQUOTA_IOCTL
cuda_stays 'one file for both, no SONAME'
nvml_stays 'one file for both, no SONAME'
quota libcuda.so.1 libcuda.so.1 -DQUOTA_CUDA -DQUOTA_ML -DQUOTA_IOCTL
cuda_stays "one file for both, libcuda's SONAME"
quota libcuda.so.$kmd libcuda.so.1 -DQUOTA_CUDA -DQUOTA_ML -DQUOTA_IOCTL
cuda_stays "copied over the host's own name"
quota libcuda.so.550.54.15 libcuda.so.1 -DQUOTA_CUDA -DQUOTA_IOCTL
cuda_stays "a driver's own file name, the driver moved aside"
quota libcuda.so.1 libcuda.so.1 -DQUOTA_CUDA -DQUOTA_IOCTL
cuda_stays "NVIDIA's mark is no proof in a small file"
quota libcuda.so.1 libcuda.so.1 -DQUOTA_CUDA
cuda_stays "NVIDIA's mark is no proof without ioctl"
quota libnvidia-ml.so.1 libnvidia-ml.so.1 -DQUOTA_CUDA -DQUOTA_ML -DQUOTA_IOCTL
nvml_stays "it exports cuInit, NVML's SONAME"
quota libnvidia-ml.so.$kmd libcuda-control.so -DQUOTA_ML -DQUOTA_IOCTL
nvml_stays "copied over the host's own name, another SONAME"
quota libnvidia-ml.so.550.54.15 libnvidia-ml.so.1 -DQUOTA_ML
nvml_stays 'a version in its name is no proof without ioctl'
quota libnvidia-ml.so.1 libnvidia-ml.so.1 -DQUOTA_ML
nvml_stays "NVIDIA's mark is no proof without ioctl"

# One with a name of its own, which the program is linked with before libcuda, or which is preloaded.
path=$wrong:$right
for how in bare shimmed; do
    like "$($how linked-wrapped)" "*metered *cuInit=$bad *" "a library before libcuda meters, $how"
done
like "$(shimmed "env CUARBITER_LOG=info linked-wrapped")" \
    '* cannot be used here: it would be called instead of *wrapper.so, whose cuInit the program calls now.*' 'and why'
preload=$app/lib/wrapper.so
like "$(bare linked)" "*metered *cuInit=$bad *" 'a preload meters, bare'
like "$(shimmed linked)" "*metered *cuInit=$good *" 'a preload meters, shimmed'
preload=''

# NVIDIA's own under any name: those of the image give way to the host's.
place real
rm -rf "$tmp/quota" && mkdir "$tmp/quota"
cp "$wrong/libcuda.so.1" "$wrong/libnvidia-ml.so.1" "$tmp/quota/"
path=$tmp/quota:$wrong:$right
is "$(word cuInit "$(shimmed init-dlopen)")" "$good" "a real libcuda without a version in its name"
is "$(word driver "$(shimmed init-ml)")" "$real_host" 'a real NVML without a version in its name'
other=
for version in "$drivers"/[0-9]*; do
    case $("$command" inspect --json "$version/libcuda.so.1" | jq -r '.[0].state') in
    usable) ;;
    'lacks '*) other='lacks jq' ;;
    *) other="$other ${version##*/}" ;;
    esac
done
is "$other" '' "each real libcuda is NVIDIA's"
finish
