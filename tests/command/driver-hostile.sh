#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter driver add of archives that lie, are damaged or mean harm, on a full disk, without
# libarchive, twice at once: one clear line, and nothing half, nothing lost, nothing outside.

# shellcheck source=tests/command/driver-lib.sh
. "$(dirname "$0")/driver-lib.sh"
need_tool python3

layout 590.48.01 "$tmp/nv"
mkdir "$tmp/bad"
python3 -B "$(dirname "$0")/hostile.py" "$tmp/nv" "$tmp/bad" || not_ok 'making them'
layout 580.65.06 "$tmp/before"
run driver --store "$store" add --yes "$tmp/before"
before=$(stored)
tree_of() { (cd "$tmp" && find . -path ./bad -prune -o -path './store/.lock' -prune -o -newer "$tmp/mark" -print); }

refused() { # NAME PATTERN
    file=$tmp/bad/$1.tar.xz
    [ -e "$file" ] || file=$tmp/bad/$1.zip
    run driver --store "$store" add --yes "$file"
    like "$rc:$err" "1:cuarbiter: $file: $2" "$1"
    is "$(stored)" "$before" "$1: the store is as it was"
}
names_of() { (cd "$1" && for name in *; do echo "$name"; done); }
wanted=$(names_of "$tmp/nv/compat" | grep -v '^libcuda.so$')
taken() { # NAME [EXTRA...]: 590.48.01, and nothing else of it
    name=$1
    shift
    run driver --store "$store" add --yes "$tmp/bad/$name.tar.xz"
    like "$rc:$err:$out" '0::*590.48.01 was added*' "$name"
    is "$(find "$store/590.48.01" ! -user "$(id -u)" -o -type f ! -perm 644 -o ! -type f ! -type l ! -type d)" '' \
        "$name: plain files of this user, 0644"
    is "$(names_of "$store/590.48.01" | LC_ALL=C sort)" "$(printf '%s\n' "$wanted" manifest.json "$@" | LC_ALL=C sort)" \
        "$name: nothing but the driver"
    is "$(find "$store/590.48.01" -type l -lname '*/*')" '' "$name: no link leads out"
    run driver --store "$store" check 590.48.01
    is "$rc" 0 "$name: whole"
}
: >"$tmp/mark"
for name in outside links devices suid alike; do
    taken $name
    rm -r "$store/590.48.01"
done
taken licences LICENSE
is "$(cat "$store/590.48.01/LICENSE")" 'the one' 'of several licences that of the whole, of a size that one has'
rm -r "$store/590.48.01"
node=$(stat -c '%a %u %Y' /dev/null)
taken below LICENSE
is "$(cat "$store/590.48.01/LICENSE"):$(stat -c '%a %u %Y' /dev/null)" "the one:$node" 'those below it are passed over, and no device is touched'
rm -r "$store/590.48.01"
is "$(tree_of | grep -Ev '^\./(store|out|err)' | grep -vx .)" '' 'nothing was written anywhere else'
# As many libraries as a driver can have, each with a link to it, and a licence.
cp -r "$tmp/nv" "$tmp/full"
find "$tmp/full/compat" ! -type d ! -name 'libcuda.so.*' ! -name 'libnvidia-ptxjitcompiler.*' ! -name 'libnvidia-nvvm.*' -delete
python3 - "$tmp/full/compat" <<'PYTHON'
import glob
import os
import sys
folder, = sys.argv[1:]
library = open(os.path.realpath(glob.glob(folder + '/libnvidia-ptxjitcompiler.so.*')[0]), 'rb').read()
soname = b'libnvidia-ptxjitcompiler.so.1\0'
assert soname in library
have = sum(not os.path.islink(file) for file in glob.glob(folder + '/lib*'))
for i in range(128 - have):
    with open('%s/libnvidia-nvvm.so.590.48.%d' % (folder, 1000 + i), 'wb') as file:
        file.write(library.replace(soname, b'libnvidia-nvvm.so.%011d\0' % (1000 + i)))
PYTHON
tar -cJf "$tmp/full.tar.xz" -C "$tmp" full
run driver --store "$store" add --yes "$tmp/full.tar.xz"
like "$rc:$err:$out" '0::*590.48.01 was added*' 'full'
is "$(names_of "$store/590.48.01" | wc -l):$(jq '.files | length' "$store/590.48.01/manifest.json")" 258:257 'full: each file and link is listed'
run driver --store "$store" check 590.48.01
is "$rc" 0 'full: whole'
rm -rf "$store/590.48.01" "$tmp/full"
for path in /tmp/libnvidia-pkcs11.so.2 /libnvidia-pkcs11.so.2 "$store/../libnvidia-pkcs11.so.1"; do
    [ ! -e "$path" ] || not_ok "$path"
done

refused zeros 'it contains more than 16 GiB, too much for a driver'
refused large 'x/compat/libcuda.so.590.48.01: 3221225472 bytes is no plausible size for a driver library'
refused zeros-beside 'it contains more than 16 GiB, too much for a driver'
refused bomb '*size*'
refused members 'it contains more than 20000 files, too many for a driver'
refused two 'it contains two different drivers: x/libcuda.so.590.48.01 and y/libcuda.so.590.48.01'
refused twice 'it contains x/compat/libcuda.so.590.48.01 twice'
refused without 'it contains no libcuda.so.1 or libcuda.so.VERSION'
refused alone 'it lacks libnvidia-ptxjitcompiler.so.590.48.01, which libcuda needs to compile PTX'
refused folders 'x/32/libcuda.so.590.48.01: this path is too long, or the libraries lie in more than 32 folders'
refused named 'the content of libcuda.so.595.45.04 is of another driver, 590.48.01'
refused no-libcuda 'libcuda.so.590.48.01: not a libcuda: it does not export cuInit'
refused text 'libcuda.so.590.48.01: *'
refused foreign 'libcuda.so.590.48.01: built for another architecture'
refused half 'libcuda.so.590.48.01: *'
refused mixed 'libnvidia-nvvm.so.590.48.01: built for another architecture'
refused cut '*'
refused changed '*'
refused flipped 'libcuda.so.590.48.01: it cannot be read to its end'
refused empty '*'
refused noise '*'
run driver --store "$store" add --yes "$tmp/bad/suid.tar.xz" --sha256 "$(sum "$tmp/bad/two.tar.xz")"
is "$rc:$err" "1:cuarbiter: $tmp/bad/suid.tar.xz: its checksum is $(sum "$tmp/bad/suid.tar.xz"), but it should be $(sum "$tmp/bad/two.tar.xz"): nothing was unpacked" 'a wrong sum'
is "$(stored)" "$before" 'is not unpacked'
for bad in /dev/null "$tmp/fifo"; do
    [ -e "$bad" ] || mkfifo "$bad"
    run driver --store "$store" add --yes "$bad"
    is "$rc:$err" "1:cuarbiter: $bad: neither a file nor a folder" "$bad"
done
cp -r "$tmp/nv" "$tmp/licence"
truncate -s 2M "$tmp/licence/LICENSE"
run driver --store "$store" add --yes "$tmp/licence"
is "$rc:$err" "1:cuarbiter: $tmp/licence: LICENSE: 2097152 bytes is no plausible size for a licence" 'a large licence in a folder'
for below in usr/lib usr; do
    mkdir -p "$tmp/deep/usr/lib/there"
    cp -a "$tmp/nv/compat/." "$tmp/deep/usr/lib/there"
    ln -sf there/libcuda.so.590.48.01 "$tmp/deep/usr/lib/libcuda.so.1"
    run driver --store "$store" add --yes "$tmp/deep/$below"
    is "$rc:$err" "1:cuarbiter: $tmp/deep/$below: neither this folder nor its compat, lib or lib64 has a libcuda.so.1 or libcuda.so.VERSION that is not a link" \
        "a folder whose libcuda lies elsewhere: $below"
done

# Two at once, of the same and of two: both come to their end.
mkdir "$tmp/many"
for n in 1 2 3 4; do
    layout 590.1$n.01 "$tmp/many/$n"
done
pids=
for n in 1 2 3 4 1 2 3 4; do
    "$cuarbiter" driver --store "$store" add --yes "$tmp/many/$n" >>"$tmp/many.log" 2>&1 &
    pids="$pids $!"
done
bad=0
for pid in $pids; do wait "$pid" || bad=$((bad + 1)); done
is "$bad:$(grep -c 'was added' "$tmp/many.log"):$(grep -c 'is already there' "$tmp/many.log")" 0:4:4 'eight at once, two of each'
run driver --store "$store" check
is "$rc" 0 'all of them whole'
run driver --store "$store" remove --now 590.11.01 590.12.01 590.13.01 590.14.01
is "$(stored)" "$before" 'all of them gone'

# A full disk, and one that is full for the last file.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    size=$(du -sk "$tmp/nv" | cut -f 1)
    for room in 8 $((size / 2)) $((size * 3 / 4)); do
        mkdir -p "$tmp/small"
        # shellcheck disable=SC2016
        got=$(unshare -m sh -c 'mount -t tmpfs -o mode=755,size="$2"k none "$1" && "$3" driver --store "$1" add --yes "$4" 2>&1
            echo "$?:$(find "$1" -mindepth 1 ! -name .lock)"' sh "$tmp/small" $room "$cuarbiter" "$tmp/bad/suid.tar.xz")
        like "$(echo "$got" | tail -n 2)" "cuarbiter: *: No space left on device
1:" "a disk of $room KiB"
    done
else
    ok 'a full disk # SKIP not root, or no mount namespaces'
fi

# Without libarchive.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    library=$(ldconfig -p | sed -n 's/.*libarchive.so.13 .*x86-64.* => //p; s/.*libarchive.so.13 .*AArch64.* => //p' | head -n 1)
    # shellcheck disable=SC2016
    got=$(unshare -m sh -c 'mount --bind /dev/null "$1" && shift && "$@" 2>&1' sh "${library:-/nonexistent}" "$cuarbiter" \
        driver --store "$store" add --yes "$tmp/bad/suid.tar.xz" | tail -n 1)
    like "$got" "cuarbiter: $tmp/bad/suid.tar.xz: *libarchive*" 'without libarchive'
    # shellcheck disable=SC2016
    unshare -m sh -c 'mount --bind /dev/null "$1" && shift && "$@"' sh "${library:-/nonexistent}" "$cuarbiter" \
        driver --store "$store" add --yes "$tmp/nv" >/dev/null 2>&1
    is $? 0 'a folder needs none'
fi

# Whoever unpacks has no rights, and what is unpacked was read once.
if [ "$(id -u)" = 0 ] && tracing 'the child that unpacks'; then
    rm -rf "$store/590.48.01"
    strace -f -o "$tmp/trace" -e trace=setuid,setgid,setgroups,capset,prctl,openat "$cuarbiter" driver --store "$store" \
        add --yes "$tmp/bad/suid.tar.xz" >/dev/null
    child=$(sed -n 's/^\([0-9]*\) *setuid(65534) *= 0$/\1/p' "$tmp/trace")
    is "$(echo "$child" | wc -w)" 1 'the child that unpacks is nobody'
    is "$(grep "^$child " "$tmp/trace" | sed '1,/setuid(65534)/d' | grep -E 'O_(WRONLY|RDWR|CREAT)')" '' 'and opens nothing to write'
fi
finish
