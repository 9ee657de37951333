#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A trial on a system whose /etc/ld.so.preload names the shim, and whose site file locks what the
# environment may say: the child tries this very file all the same, and no child tries in turn.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
need_tool jq
[ "$(id -u)" = 0 ] || cannot 'not root'
unshare -m true 2>/dev/null || cannot 'no mount namespaces here'

make_root "$tmp/root" --kmd 535.161.07 --host-umd 535.161.07 --compat 550.54.15 \
    --gpu 'NVIDIA A100-SXM4-80GB' --cc 8.0 >/dev/null
mkdir -p "$tmp/root/etc"
printf 'CUARBITER_POLICY=compat\nCUARBITER_TRIAL=always\nlock=CUARBITER_POLICY,CUARBITER_TRIAL\n' \
    >"$tmp/root/etc/cuarbiter.conf"
host=$tmp/root/usr/lib/$(uname -m)-linux-gnu
export CUARBITER_SYSROOT="$tmp/root" ODD_COUNT="$tmp/count"
mkdir "$tmp/etc"
cp -a /etc/. "$tmp/etc/"
echo "$files/libcuarbiter.so" >"$tmp/etc/ld.so.preload"

# A command on a system with that file.
preloaded() {
    # shellcheck disable=SC2016
    unshare -m sh -c 'mount --bind "$1" /etc && shift && exec "$@"' sh "$tmp/etc" "$@"
}

out=$(preloaded "$cuarbiter" status --json)
is "$(json '[.shim.active, .shim.through[0], .policy.kind, .policy.from]|join(" ")')" \
    'true /etc/ld.so.preload compat site' 'the shim is there, the policy is locked'
before=$(date +%s)
out=$(preloaded "$cuarbiter" trial --timeout 5 --json "$host/libcuda.so.1")
is "$(json '[.result, .code, .driver_version]|join(" ")')" 'answered 0 12020' "the host's own, not the policy's"
out=$(preloaded "$cuarbiter" trial --timeout 5 --json "$odd")
is "$(json '[.result, .code]|join(" ")')" 'answered 0' 'any file'
is "$(cat "$tmp/count")" x 'tried once'
is "$(($(date +%s) - before < 5))" 1 'at once'

finish
