#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What lies where others may write is not given to a program, unless the loader takes it by itself:
# here NVML, which is the kernel driver's own wherever that lies. On fake drivers.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
place fake
export CUARBITER_TRIAL=never
make_root "$tmp/alone/machine" --kmd "$kmd" --gpu 'NVIDIA GeForce RTX 4090' --compat 550.54.15 \
    >/dev/null
machine=$tmp/alone/machine path=''

# The whole driver under its exact names, which no program asks for: $tmp/open/compat.
mkdir -p "$tmp/open/compat"
cp "$right/libcuda.so.$kmd" "$right/libnvidia-ml.so.$kmd" "$tmp/open/compat/"

given() { # [WORD OF SHELL...]
    line=$(shimmed "env $* init-ml" | grep '^program=')
    case $(word file "$line") in
    "$tmp/open/"*) echo taken ;;
    *) echo 'not taken' ;;
    esac
}

home="CUDA_HOME=$tmp/open"
is "$(given "$home")" taken "beside the native driver, in a toolkit's folder"
chmod 777 "$tmp/open/compat"
is "$(given "$home")" 'not taken' 'the folder is writable for all'
chmod 775 "$tmp/open/compat"
is "$(given "$home")" 'not taken' 'the folder is writable for a group'
chmod 755 "$tmp/open/compat"
chmod 777 "$tmp/open"
is "$(given "$home")" 'not taken' 'the folder above is writable for all'
chmod 755 "$tmp/open"
chmod 666 "$tmp/open/compat/libcuda.so.$kmd" "$tmp/open/compat/libnvidia-ml.so.$kmd"
is "$(given "$home")" 'not taken' 'the files are'
chmod 644 "$tmp/open/compat/libcuda.so.$kmd"
is "$(given "$home")" 'not taken' "only NVML's file is"
chmod 644 "$tmp/open/compat/libnvidia-ml.so.$kmd"

path=$tmp/open/compat
is "$(given)" taken 'an entry of LD_LIBRARY_PATH'
chmod 777 "$tmp/open/compat"
is "$(given)" 'not taken' 'an entry that is writable for all'
rm "$tmp/open/compat/libcuda.so.$kmd"
is "$(given)" 'not taken' 'and no native driver in it'
cp "$right/libcuda.so.$kmd" "$tmp/open/compat/"
chmod 755 "$tmp/open/compat"

path=''
for entry in . ''; do
    is "$(given "-C $tmp/open/compat LD_LIBRARY_PATH=$entry:/nowhere PATH=$app")" 'not taken' \
        "a relative entry: '$entry'"
done
finish
