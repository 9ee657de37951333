#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program's CUDA, by real runtimes of CUDA 11, 12 and 13: as pip installs them, plain files with
# a .dist-info beside them, and as Debian packages them, links to a whole version. What the engine
# makes of them must be what they answer themselves.
#
# The wheels are fetched by pip into the cache; they may be neither committed nor passed on.
# shellcheck disable=SC1091,SC2154
set -u
. "$(dirname "$0")/../fixtures/lib.sh"
oracle=$built/toolkit-oracle
wheels=$cua_cache/wheels
site=$tmp/site-packages
unset CUDA_VERSION
need_tool python3

# NAME VERSION: into site-packages, as pip would.
install_wheel() {
    file=$(find "$wheels" -name "$(echo "$1" | tr - _)-$2-*.whl" 2>/dev/null | head -n 1)
    if [ -z "$file" ]; then
        python3 -m pip download -q --no-deps -d "$wheels" "$1==$2" >/dev/null 2>&1 ||
            skip "no wheel of $1 $2, and pip cannot fetch it"
        file=$(find "$wheels" -name "$(echo "$1" | tr - _)-$2-*.whl" | head -n 1)
    fi
    python3 -m zipfile -e "$file" "$site"
}

# What the oracle says, and what it would say if the engine knew all.
agrees() {
    name=$1
    shift
    line=$("$oracle" "$@") || line="failed: $line"
    # shellcheck disable=SC2086
    set -- $line
    low=$3
    for answer in "$@"; do
        case $answer in *[!0-9]*) continue ;; esac
        [ "$answer" -ge "$low" ] || low=$answer
    done
    is "$1 $2" "exact $low" "$name: $line"
}

# VERSION LIBRARY NAME: one of 11 answers nothing where no driver is.
is_eleven() {
    minor=${1#11.}
    is "$("$oracle" mapped "$2")" "exact 110${minor%%.*}0 -1" "cudart $1 $3"
}

install_wheel nvidia-cuda-runtime-cu12 12.4.127
install_wheel nvidia-cuda-runtime 13.0.48
twelve=$site/nvidia/cuda_runtime/lib/libcudart.so.12
thirteen=$site/nvidia/cu13/lib/libcudart.so.13
agrees 'cudart 12 of a wheel' mapped "$twelve"
agrees 'cudart 13 of a wheel' mapped "$thirteen"
agrees 'a wheel that is about to be loaded' needed "$thirteen"
agrees 'a program of CUDA 12 and a plugin of 13' mapped "$thirteen" "$twelve"
install_wheel nvidia-cuda-runtime-cu11 11.8.89
eleven=$site/nvidia/cuda_runtime/lib/libcudart.so.11.0
is_eleven 11.8.89 "$eleven" 'of a wheel, beside a 12'
agrees 'cudart 12 of a wheel, beside an 11' mapped "$twelve"

rm -r "$site"/nvidia_cuda_runtime_cu12-*.dist-info
is "$("$oracle" mapped "$twelve")" 'least 12000 12040' 'a plain file that no wheel knows'

need_cudart 11.2.152 11.8.89 12.4.127
is_eleven 11.2.152 "$cudarts/11.2.152/libcudart.so.11.0" 'of Debian'
is_eleven 11.8.89 "$cudarts/11.8.89/libcudart.so.11.0" 'of Debian'
agrees 'cudart 12.4 of Debian' mapped "$cudarts/12.4.127/libcudart.so.12"
finish
