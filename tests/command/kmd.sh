#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where the kernel driver's version comes from: /proc, else /sys, else the driver itself, by the
# query that every libcuda makes of /dev/nvidiactl.
# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
may_lack jq
kmd=535.261.03

# WITHOUT: status on the stand-in that lacks these.
told() {
    export STANDIN_WITHOUT="$1" STANDIN_LOG="$tmp/log"
    rm -f "$tmp/log"
    out=$(standin $kmd -- "$cuarbiter" status --json 2>/dev/null)
    json '.kmd|[.version, .source]|@csv'
}
asked() {
    grep -c '^ioctl ctl' "$tmp/log"
}

is "$(told '')" "\"$kmd\",\"/proc/driver/nvidia/version\"" 'from /proc'
is "$(asked)" 0 'and the driver is not asked'
is "$(told /proc/driver/nvidia)" "\"$kmd\",\"/sys/module/nvidia/version\"" 'without /proc: from /sys'
is "$(asked)" 0 'and the driver is not asked'
is "$(told /proc/driver/nvidia:/sys/module/nvidia)" "\"$kmd\",\"/dev/nvidiactl\"" \
    'with the nodes alone: from the driver'
is "$(asked)" 1 'asked once'
is "$(told /proc/driver/nvidia:/sys/module/nvidia:/dev)" ',' 'without those: nobody does'

# Two witnesses that differ: a stale file was left, or bound, over one of them. The driver decides.
stale=$tmp/stale
beside() {
    STANDIN_ROOT=$1 told "$2"
}
mkdir -p "$stale/proc/driver/nvidia"
echo "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Thu Feb 22 01:44:30 UTC 2024" \
    >"$stale/proc/driver/nvidia/version"
is "$(beside "$stale" '')" "\"$kmd\",\"/dev/nvidiactl\"" '/proc and /sys differ: the driver decides'
is "$(asked)" 1 'asked once'
is "$(beside "$stale" /dev)" ',' 'they differ, and the driver does not answer: not known'
like "$(beside "$stale" /dev >/dev/null; json .kmd.trouble)" '*535.54.03*535.261.03*' 'the reason names both'
is "$(beside "$stale" /sys/module/nvidia)" '"535.54.03","/proc/driver/nvidia/version"' \
    'one that is absent does not differ'

# What a socket answers to open() is what a node answers whose driver is gone: ENXIO.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    # shellcheck disable=SC2016
    node=$(unshare -m sh -c 'mkdir "$1" && mount -t tmpfs -o mode=755 none "$1" && ln -s /proc/self/fd "$1/fd" && : >"$1/null" &&
        mount --bind /dev/null "$1/null" && mount --move "$1" /dev || exit
        python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\"/dev/nvidiactl\")"
        LD_LIBRARY_PATH=$3 "$2" status --json' sh "$tmp/dev" "$cuarbiter" "$tmp/no-driver")
    out=$node
    is "$(json '.kmd.platform + " " + .reason')" 'none no-driver' 'a node without a driver behind it is no kernel driver'
    # shellcheck disable=SC2016
    node=$(unshare -m sh -c 'mount -t tmpfs -o mode=755 none "$1" && ln -s /proc/self/fd "$1/fd" && : >"$1/null" &&
        mount --bind /dev/null "$1/null" && : >"$1/nvidiactl" && mount --move "$1" /dev || exit
        LD_LIBRARY_PATH=$3 "$2" status --json' sh "$tmp/dev" "$cuarbiter" "$tmp/no-driver")
    out=$node
    is "$(json '.kmd.platform + " " + .reason')" 'none no-driver' 'nor is a plain file of its name'
else
    ok 'a stale node # SKIP needs root and mount namespaces'
fi
finish
