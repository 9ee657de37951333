#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What lies about in images and what a kernel may answer: nothing of it ends or blocks a program,
# the other candidates are still judged, and `cuarbiter status` names the file and why.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
may_lack jq
export CUARBITER_TRIAL=never
place fake
good_file=$(file_of "$right/libcuda.so.1")

# The command judges; its output is kept in $tmp/status. Words of shell may come before it.
judged() {
    bare "${1:-} $files/cuarbiter status --json" >"$tmp/status"
    echo "$? $(file_of "$(jq -r '.chosen.path // "none"' "$tmp/status" 2>/dev/null)")"
}

# What the shim gives a program that opens libcuda.so.1, and one with a library that needs it.
given() {
    for command in init-dlopen 'open-plain lib/needs.so'; do
        line=$(shimmed "${1:-} $command" | grep '^program=')
        echo "$(word cuInit "$line") $(file_of "$(word file "$line")")"
    done | sort -u
}

# A folder with a bad libcuda.so.1 comes before the good one.
bad_file() { # WHAT REASON [PREFIX]
    path=$tmp/bad:$right
    is "$(judged "${3:-}")" "0 $good_file" "$1: the other is chosen"
    is "$(given "${3:-}")" "0 $good_file" "$1: and given to programs"
    is "$(jq -r --arg bad "$tmp/bad/" '[.candidates[] | select(.path | startswith($bad)) |
        .reason] | unique | join(" ")' "$tmp/status")" "$2" "$1: status says $2"
    [ -n "$(jq -r --arg bad "$tmp/bad/" '.candidates[] | select(.path | startswith($bad)) |
        .trouble // .detail' "$tmp/status")" ] || not_ok "$1: status says why"
    rm -rf "$tmp/bad"
    mkdir "$tmp/bad"
}

mkdir "$tmp/bad"
: >"$tmp/bad/libcuda.so.1"
bad_file 'an empty file' damaged
printf 'INPUT ( libcuda.so.1 )\n' >"$tmp/bad/libcuda.so.1"
bad_file 'a linker script' damaged
head -c 100000 /dev/zero >"$tmp/bad/libcuda.so.1"
bad_file 'zero bytes' damaged
mkdir "$tmp/bad/libcuda.so.1"
bad_file 'a folder' damaged
mkfifo "$tmp/bad/libcuda.so.1"
bad_file 'a FIFO' damaged
ln -s nowhere "$tmp/bad/libcuda.so.1"
bad_file 'a link to nothing' unreadable
ln -s libcuda.so.1 "$tmp/bad/libcuda.so.1"
bad_file 'a link to itself' unreadable
ln -s b "$tmp/bad/a" && ln -s a "$tmp/bad/b" && ln -s a "$tmp/bad/libcuda.so.1"
bad_file 'a link into a loop' unreadable
ln -s /dev/zero "$tmp/bad/libcuda.so.1"
path=$tmp/bad:$right
is "$(given)" "0 $good_file" 'a link to an endless device: the other is given'
rm "$tmp/bad/libcuda.so.1"
make_root "$tmp/other" --kmd "$kmd" --host-umd "$kmd:/foreign,foreign" >/dev/null
cp "$tmp/other/foreign/libcuda.so.$kmd" "$tmp/bad/libcuda.so.1"
bad_file 'another architecture' wrong-arch
cp "$right/libcuda.so.$kmd" "$tmp/bad/libcuda.so.1"
printf '\001' | dd of="$tmp/bad/libcuda.so.1" bs=1 seek=4 conv=notrunc 2>/dev/null
bad_file 'a 32-bit header' wrong-arch
cp "$right/libcuda.so.$kmd" "$tmp/bad/libcuda.so.1"
chmod 000 "$tmp/bad/libcuda.so.1"
if [ "$(id -u)" = 0 ]; then
    bad_file 'an unreadable file' unreadable \
        'setpriv --bounding-set -dac_override,-dac_read_search'
else
    bad_file 'an unreadable file' unreadable
fi
for stub in /usr/local/cuda/lib64/stubs/libcuda.so /usr/local/cuda/lib/stubs/libcuda.so; do
    [ -e "$stub" ] || continue
    cp "$stub" "$tmp/bad/libcuda.so.1"
    bad_file "$stub" link-stub
done

# Cut at every byte of its headers, and every byte of them overwritten. Many to a folder under the
# names of versions, so that one run of the command judges many; then each by itself in a process.
need_tool python3
headers=$(python3 - "$right/libcuda.so.$kmd" "$tmp/cut" "$tmp/hurt" <<'PYTHON'
import os, struct, sys
source, cut, hurt = sys.argv[1:]
image = open(source, 'rb').read()
offset, = struct.unpack_from('<Q', image, 32)
size, count = struct.unpack_from('<HH', image, 54)
end = offset + size * count
for at in range(end + 1):
    for top, data in (cut, image[:at]), (hurt, image[:at] + b'\xff' + image[at + 1:]):
        folder = '%s/%d/%d' % (top, at // 192, at // 48)
        os.makedirs(folder, exist_ok=True)
        with open('%s/libcuda.so.%d.%d' % (folder, 900 + at, at), 'wb') as f:
            f.write(data)
print(end)
PYTHON
)
for kind in cut hurt; do
    for group in "$tmp/$kind"/*; do
        path=''
        for folder in "$group"/*; do path=$path$folder:; done
        path=$path$right
        is "$(judged)" "0 $good_file" "$kind headers, ${group##*/}: the good one is chosen"
        number=$(find "$group" -name 'libcuda.so.*' | wc -l)
        is "$(jq --arg in "$group/" '[.candidates[] | select(.path | startswith($in))] | length' \
            "$tmp/status")" "$number" "$kind headers, ${group##*/}: each is judged"
    done
done
failed='' n=0
path=$tmp/bad:$right
for file in "$tmp"/cut/*/*/*; do
    ln -sf "$file" "$tmp/bad/libcuda.so.1"
    line=$(shimmed init-dlopen)
    n=$((n + 1))
    [ "$(word cuInit "$line") $(file_of "$(word file "$line")")" = "0 $good_file" ] ||
        failed="$failed ${file##*.}"
done
is "$n:$failed" "$((headers + 1)):" 'a process gets the good one before a file cut at any byte'
rm -rf "$tmp/cut" "$tmp/hurt" "$tmp/bad/libcuda.so.1"

# The kernel driver's version file. The module's own is left, and the device's answer. Real drivers:
# they do not ask the file.
place real
machine=$tmp/kernel version=$tmp/kernel/proc/driver/nvidia/version
mkdir -p "$machine/proc/driver/nvidia" "$machine/sys/module/nvidia"
cp -r "$geforce/proc/driver/nvidia/gpus" "$machine/proc/driver/nvidia/"
good_file=$(file_of "$right/libcuda.so.1")
bad_version() { # WHAT
    is "$(judged)" "0 $good_file" "version file $1: the right one is chosen"
    is "$(given)" "100 $good_file" "version file $1: and given"
    rm -rf "$version"
}
: >"$version" && bad_version 'with nothing in it'
head -c 1048576 /dev/zero | tr '\0' x >"$version" && bad_version 'with 1 MiB of text'
yes 'NVRM version: NVIDIA UNIX x86_64 Kernel Module' | head -c 1048576 >"$version" &&
    bad_version 'with 1 MiB of almost the right text'
head -c 4096 /dev/zero >"$version" && bad_version 'of NUL bytes'
printf 'NVRM\0version: NVIDIA UNIX x86_64 Kernel Module  1.2.3\0 535' >"$version" &&
    bad_version 'with NUL bytes in it'
printf 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  99999999999999999999.1.1  x\n' >"$version" &&
    bad_version 'with a number too large'
mkdir "$version" && bad_version 'that is a folder'
mkfifo "$version" && bad_version 'that is a FIFO'

# The same with nobody else to ask: nothing is known, and nothing is done.
unknown() { # WHAT
    bare "$files/cuarbiter status --json --sysroot $machine" >"$tmp/status"
    is "$? $(jq -r .reason "$tmp/status")" '3 kmd-unknown' "version file $1, alone: nobody knows"
    rm -rf "$version"
}
make_root "$machine" --kmd "$kmd" --host-umd "$kmd" >/dev/null
rm -rf "$machine/sys" "$version"
: >"$version" && unknown 'with nothing in it'
head -c 1048576 /dev/zero | tr '\0' x >"$version" && unknown 'with 1 MiB of text'
head -c 4096 /dev/zero >"$version" && unknown 'of NUL bytes'
mkfifo "$version" && unknown 'that is a FIFO'
finish
