# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# needs: busybox
# Debian's is static: the shim never enters, and the programs it starts get the environment on.
busybox sh -c 'echo $((6 * 7)); busybox seq 3 | busybox sort -r; /bin/echo dynamic'
busybox sh -c 'test "$LD_PRELOAD" = "$1"; echo "environment $?"' sh "$LD_PRELOAD"
echo text | busybox gzip | busybox gunzip
busybox tar c -f - /etc/hostname 2>/dev/null | busybox tar t
busybox false
echo "status $?"
