#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where the kernel driver's version comes from: /proc, else /sys, else the driver itself, by the
# query that every libcuda makes of /dev/nvidiactl.
# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
need_tool jq
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

is "$(told '')" "\"$kmd\",\"/proc/driver/nvidia/version\"" '/proc tells it'
is "$(asked)" 0 'and the driver is not asked'
is "$(told /proc/driver/nvidia)" "\"$kmd\",\"/sys/module/nvidia/version\"" 'without /proc: /sys tells it'
is "$(asked)" 0 'and the driver is not asked'
is "$(told /proc/driver/nvidia:/sys/module/nvidia)" "\"$kmd\",\"/dev/nvidiactl\"" \
    'with the nodes alone: the driver tells it'
is "$(asked)" 1 'asked once'
is "$(told /proc/driver/nvidia:/sys/module/nvidia:/dev)" ',' 'without those: nobody does'
finish
