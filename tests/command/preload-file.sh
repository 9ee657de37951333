#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A trial on a system whose /etc/ld.so.preload names the shim, and whose site file locks what the
# environment may say: the child tries this file anyway, and no child tries in turn.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
may_lack jq
has_own_etc || cannot 'not root, or no mount namespaces here'

make_root "$tmp/root" --kmd 535.161.07 --host-umd 535.161.07 --compat 550.54.15 \
    --gpu 'NVIDIA A100-SXM4-80GB' --cc 8.0 >/dev/null
printf 'CUARBITER_POLICY=compat\nCUARBITER_TRIAL=always\nlock=CUARBITER_POLICY,CUARBITER_TRIAL\n' \
    >"$tmp/etc/cuarbiter.conf"
host=$tmp/root/usr/lib/$(uname -m)-linux-gnu
export CUARBITER_SYSROOT="$tmp/root" ODD_COUNT="$tmp/count"
echo "$files/libcuarbiter.so" >"$tmp/etc/ld.so.preload"

out=$(with_etc "$cuarbiter" status --json)
is "$(json '[.shim.active, .shim.through[0], .policy.kind, .policy.from]|join(" ")')" \
    'true /etc/ld.so.preload compat site' 'the shim is there, the policy is locked'
before=$(date +%s)
out=$(with_etc "$cuarbiter" trial --timeout 5 --json "$host/libcuda.so.1")
is "$(json '[.result, .code, .driver_version]|join(" ")')" 'answered 0 12020' "the host's own, not the policy's"
out=$(with_etc "$cuarbiter" trial --timeout 5 --json "$odd")
is "$(json '[.result, .code]|join(" ")')" 'answered 0' 'any file'
is "$(cat "$tmp/count")" x 'tried once'
is "$(($(date +%s) - before < 5))" 1 'at once'

finish
