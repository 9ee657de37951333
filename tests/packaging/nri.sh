#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter node nri against a fake of containerd's side (nri.py): what it answers, and damaged messages, which neither end it by
# a signal nor make it hang. A real containerd: tests/engines/nri.sh.
# shellcheck disable=SC2154
. "$(dirname "$0")/../fixtures/images.sh"
[ "$(id -u)" = 0 ] || cannot 'not root'
unshare -m true 2>/dev/null || cannot 'no mount namespaces here'
need_files
# It leaves a file in /run.
fake() {
    unshare -m sh -c 'mount -t tmpfs none /run && exec "$@"' sh "$tree/tests/packaging/nri.py" "$files/cuarbiter" "$@"
}
fake >"$tmp/said" || not_ok 'the fake runs to its end'
while IFS="$(printf '\t')" read -r name got wanted; do
    that "a fake runtime: $name" "$got" "$wanted"
done <"$tmp/said"
like "$(NRI_PLUGIN_SOCKET=x "$files/cuarbiter" node nri 2>&1; echo $?)" 'cuarbiter: NRI_PLUGIN_SOCKET: Invalid argument
1' 'a socket that is none'
like "$(unshare -m sh -c 'mount -t tmpfs none /run && "$1" node nri' sh "$files/cuarbiter" 2>&1; echo $?)" \
    'cuarbiter: /var/run/nri/nri.sock: No such file*: containerd does not run, or its NRI is off: *disable = false*1' 'no containerd with NRI'
like "$(unshare -m sh -c 'mount -t tmpfs none /run && mkdir -m 700 /run/nri && setpriv --reuid 65534 --clear-groups "$1" node nri' sh "$files/cuarbiter" 2>&1; echo $?)" \
    'cuarbiter: /var/run/nri/nri.sock: Permission denied
1' 'not root'
rm "$files/cuarbiter-answer"
fake lame >"$tmp/said"
while IFS="$(printf '\t')" read -r name got wanted; do
    that "a fake runtime: $name" "$got" "$wanted"
done <"$tmp/said"
finish
