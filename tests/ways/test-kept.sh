#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the loader takes stays where it works, and where nothing says that it does not: what the image
# or a runtime says of itself, the folder and the way of asking are no reasons. On fake drivers.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
place fake
kmd=535.161.07

# A machine of the host's own driver and one that the image bundles.
start() { # GPU MAKE-ROOT-ARGUMENT...
    machine=$tmp/machine gpu=$1
    shift
    rm -rf "$machine"
    make_root "$machine" --kmd "$kmd" --gpu "$gpu" --host-umd "$kmd" "$@" >/dev/null
    wrong=$machine/usr/local/cuda/compat right=$machine/usr/lib/$(uname -m)-linux-gnu
    path=$wrong:$right
}

# VERSION and answer of what the command's process maps.
got() { # bare|shimmed COMMAND
    line=$("$1" "$2" | grep '^program=' | tail -n 1)
    file=$(readlink -f "$(word file "$line")")
    echo "${file##*/libcuda.so.} $(word cuInit "$line")"
}

stays() { # NAME VERSION COMMAND
    is "$(got bare "$3")" "$2 0" "$1, without"
    is "$(got shimmed "$3")" "$2 0" "$1"
}

# Runtimes whose names tell as much as pip's: of some 12.x, some 13.x.
site=$tmp/site/nvidia/cuda_runtime/lib
mkdir -p "$site"
for major in 12 13; do
    ${CC:-cc} -shared -nostdlib -Wl,-soname,libcudart.so.$major -o "$site/libcudart.so.$major" -x c /dev/null
done

start 'NVIDIA A100-SXM4-80GB' --compat 575.57.08
stays 'a runtime of some 12.x is mapped' 575.57.08 "twice $site/libcudart.so.12 libcuda.so.1"
stays 'an image of an older CUDA' 575.57.08 'env CUDA_VERSION=12.2.2 init-dlopen'

start 'NVIDIA A100-SXM4-80GB' --compat 580.82.07
stays 'an image of CUDA 12.2, a program that says nothing of its 13' 580.82.07 \
    'env CUDA_VERSION=12.2.2 init-dlopen'
stays "NGC's four parts" 580.82.07 'env CUDA_VERSION=12.2.2.009 init-dlopen'
# The runtime that comes in with the same request.
${CC:-cc} -shared -fPIC "-Wl,-soname,provider.so" -Wl,--no-as-needed -o "$tmp/provider.so" \
    "$tree/tests/ways/programs/plugin.c" "$fixtures/fake/umd.so" "$site/libcudart.so.13" -Wl,-rpath,"$site"
stays 'a plugin that brings cudart 13' 580.82.07 "env CUDA_VERSION=12.2.2 open-plain $tmp/provider.so"
path=$right:$wrong
is "$(got bare "open-plain $tmp/provider.so")" "$kmd 0" \
    'cudart 13 is needed beside libcuda, and native is the choice: without'
is "$(got shimmed "open-plain $tmp/provider.so")" '580.82.07 0' \
    'then one that serves it is loaded first'
is "$(got shimmed 'env CUDA_VERSION=13.0.1.012 init-dlopen')" '580.82.07 0' \
    "NGC's word of a later major"
is "$(got shimmed 'env CUDA_VERSION=13.0.1.0x2 init-dlopen')" "$kmd 0" 'a word that is none'

# It runs compiled code; native would answer 35.
start 'NVIDIA A100-SXM4-80GB' --compat 580.82.07,nocompanions
stays 'the bundled one lacks its PTX compiler' 580.82.07 init-dlopen
path=$right:$wrong
is "$(got shimmed "twice $site/libcudart.so.13 libcuda.so.1")" '580.82.07 0' \
    'without companions it is better than error 35'

# Folders that nobody knows: EasyBuild's, an artifact of Julia's by its path.
easy=/apps/CUDAcompat/12.8-570.86.15/lib julia=/depot/artifacts/0a1b2c3d/lib
for note in '' ,nonote; do
    start 'NVIDIA A100-SXM4-80GB' --compat "570.86.15:$easy$note" --compat "575.57.08:$julia$note"
    path=$machine$easy:$right
    stays "a folder that nobody knows${note:+, no note}" 570.86.15 init-dlopen
    path=$right
    stays "a path into a folder that nobody knows${note:+, no note}" 575.57.08 \
        "init-dlopen $machine$julia/libcuda.so.575.57.08"
    stays "its link${note:+, no note}" 575.57.08 "init-dlopen $machine$julia/libcuda.so.1"
done
start 'NVIDIA GeForce RTX 4090' --compat "575.57.08:$julia"
is "$(got bare "init-dlopen $machine$julia/libcuda.so.1")" '575.57.08 804' 'where it fails, without'
is "$(got shimmed "init-dlopen $machine$julia/libcuda.so.1")" "$kmd 0" 'where it fails'

# NVIDIA's images name Tesla alone for this branch: of other boards that says nothing, and a trial does.
kmd=450.248.02
start 'Quadro RTX 6000' --compat 520.61.05,nonote
stays 'a brand that is only not declared' 520.61.05 init-dlopen

# The trial looks for this process's libc among what is mapped, and a program may have its own way to
# list that: the driver that has to be tried lies beside a libc, as in a system's library folder.
start 'Quadro RTX 6000' --compat 520.61.05,nonote
ln -s "$(ldd "$app/own-list" | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')" "$wrong/libc.so.6"
stays 'a dl_iterate_phdr of the program' 520.61.05 own-list

# What a trial found under another policy counts as well, though the note speaks for the driver.
kmd=535.161.07 run=$tmp/run
mkdir -m 700 "$run"
start 'NVIDIA A100-SXM4-80GB' --compat 580.82.07,cuinit=803
path=$right:$wrong
later() { got shimmed "env XDG_RUNTIME_DIR=$run CUDA_VERSION=13.0.1 $* init-dlopen"; }
is "$(later) $(ls "$run")" '580.82.07 803 ' 'a note that is wrong, and nobody has tried; nothing is left behind'
is "$(later CUARBITER_POLICY=newest)" "$kmd 0" 'the policy newest tries it'
is "$(later)" "$kmd 0" 'and what was answered then holds for auto'
is "$(later CUARBITER_POLICY=newest CUARBITER_TRIAL=never)" "$kmd 0" 'and where nothing is tried'
finish
