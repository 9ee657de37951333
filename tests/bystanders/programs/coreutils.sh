# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# needs: ls sort sha256sum stdbuf timeout
seq 1 2000 >numbers
sort -R --random-source=numbers numbers | sort -n | sha256sum
shuf --random-source=numbers -n 3 numbers
split -n 4 numbers part- && cat part-* | cmp - numbers && ls part-*
stdbuf -oL tr 0-9 a-j <numbers | tail -n 2
timeout 5 sh -c 'exit 3'
echo "timeout $?"
cp -a numbers copy && ln -s copy link && readlink -f link | sed 's,.*/,,'
stat -c '%F %s %a' numbers link
date -u -d @86400 +%F
printf '%s\n' b a | tee both | nl
dd if=numbers of=block bs=512 count=2 2>&1 | head -n 2
nice -n 5 nohup env | grep -c HOME
chroot --version | head -n 1
id -u >/dev/null && who >/dev/null && df -P . >/dev/null && echo asked
