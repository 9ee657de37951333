#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A toolkit's folder on a file system whose server does not answer: no program waits for what its
# verdict does not need, and what it does not need is not read; for what it needs it waits two seconds. On fake drivers.
dead=/usr/local/cuda
PATH=$(echo "$PATH" | tr : '\n' | grep -v "^$dead" | paste -s -d :)
# shellcheck disable=SC2016
in_there() { # COMMAND
    unshare -m sh -c 'mount -t tmpfs none /mnt && mkdir /mnt/a /mnt/b &&
        mount -t overlay none /usr/local -o lowerdir=/usr/local,upperdir=/mnt/a,workdir=/mnt/b &&
        umount -l /mnt && mkdir -p "$1" && exec "$2" "$1" "$3"' \
        sh "$dead" "$(dirname "$0")/unanswered.py" "$1"
}
if [ -z "${UNANSWERED:-}" ] && [ "$(id -u)" = 0 ] && in_there true 2>/dev/null; then
    export UNANSWERED=yes
    in_there "$0"
    exit
fi
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
[ -n "${UNANSWERED:-}" ] || cannot 'not root, no mount namespaces or no FUSE here'
place fake
export CUARBITER_TRIAL=never

# The machine of the kernel driver's version, with nothing bundled.
make_root "$tmp/plain" --kmd "$kmd" --gpu 'NVIDIA GeForce RTX 4090' --host-umd "$kmd" >/dev/null
machine=$tmp/plain
lib=$(echo "$machine/usr/lib/"*-linux-gnu)
path=$lib

# What a program prints; nothing where it waits until its time is over.
said() { # COMMAND
    shimmed "$1" 2>&1 | grep '^program='
}
wanted() {
    bare "$1" 2>&1 | grep '^program='
}
same() { # NAME COMMAND
    is "$(said "$2")" "$(wanted "$2")" "$1"
}

is "$(timeout 2 ls "$dead" >/dev/null 2>&1 || echo $?)" 124 'the folder does not answer'
for policy in auto report host; do
    same "the loader takes native: policy $policy" "env CUARBITER_POLICY=$policy init-dlopen"
done
same 'a program that is linked with libcuda' init-linked
same 'a library that needs libcuda' 'open-plain lib/needs.so'
same 'CUDA_HOME and CONDA_PREFIX lead there' \
    "env CUDA_HOME=$dead CONDA_PREFIX=$dead/conda init-dlopen"
same 'the image says a CUDA that native has' 'env CUDA_VERSION=12.2.0 init-dlopen'
path=$lib:$wrong
same 'a bundled driver elsewhere, behind native' init-dlopen
path=$lib
same 'NVML of the kernel driver' init-ml
# Where the loader's choice fails and no other is beside it, the toolkit's folders are needed.
place fake
path=$wrong
for command in init-dlopen init-linked 'open-plain lib/needs.so'; do
    began=$(date +%s)
    same "a driver is looked for there: $command" "$command"
    is "$(($(date +%s) - began < 10))" 1 "and not for long: $command"
done
machine=$tmp/plain
path=$lib
rm "$lib"/libcuda*
same 'and no libcuda is there' init-ml

# Where a verdict needs what does not answer, there is none: as bare, after two seconds.
machine=$tmp/fake/machine
path=$wrong:$(echo "$machine/usr/lib/"*-linux-gnu)
for setting in CUARBITER_POLICY=newest CUARBITER_POLICY=compat CUDA_VERSION=13.0; do
    began=$(date +%s%N)
    got=$(shimmed "env $setting init-dlopen" 2>&1)
    took=$((($(date +%s%N) - began) / 1000000))
    is "$(echo "$got" | grep '^program=')" "$(wanted init-dlopen)" "it is needed: $setting"
    like "$got" '*warn: no-answer: *did not answer in time*' 'and a line says so'
    is "$((took >= 2000 && took < 4000))" 1 "after two seconds: $took ms"
done

# What the image says of its toolkit: where it can make a difference, and nowhere else.
make_root "$tmp/image" --kmd "$kmd" --gpu 'NVIDIA H100 PCIe' --host-umd "$kmd" >/dev/null
mkdir -p "$tmp/image/usr/local/cuda"
echo '{"cuda": {"version": "13.0.1"}}' >"$tmp/image/usr/local/cuda/version.json"
machine=$tmp/image
path=$(echo "$machine/usr/lib/"*-linux-gnu)
reads() { # COMMAND: how often
    rm -rf "$tmp/answered"/*
    shimmed "env CUARBITER_SYSROOT=$machine $1" >/dev/null 2>&1
    cat "$tmp/answered"/* | grep 'version\.json' | grep -vc openat2
}
if tracing 'version.json beside a native driver'; then
    trace_answerers "$tmp/answered" -e trace=%file
    is "$(reads init-dlopen)" 0 'version.json beside a native driver alone is not read'
    mkdir "$tmp/image/usr/local/cuda/compat"
    is "$(($(reads init-dlopen) > 0))" 1 'where a driver may be bundled it is'
fi
finish
