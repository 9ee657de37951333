#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter status: which policy holds, and where it is from.

# shellcheck source=tests/command/status-lib.sh
. "$(dirname "$0")/status-lib.sh"

machines tesla
export CUARBITER_SYSROOT="$tmp/tesla"

CUARBITER_POLICY=host run status --json
is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'host environment' 'the policy and where it is from'
CUARBITER_POLICY=best run status --json
is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'off environment' 'a value that is none is off'
run status --policy compat --json
is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'compat --policy' 'the policy of the command line'
CUARBITER_POLICI=host run status --json
is "$(json '.policy.kind + " " + (.policy.unknown|map(select(test("POLICI")))|join(" "))')" \
    'auto CUARBITER_POLICI' 'a variable that is misspelt'
schema 'a variable that is misspelt'
CUARBITER_POLICI=host run status
like "$out" '*Policy          auto (default)
*                CUARBITER_POLICI is set, but is not a setting of cuarbiter*' 'in words'
env "CUARBITER_$(printf '\033[1m')=1" "$cuarbiter" status >"$tmp/out"
is "$(grep -c 'CUARBITER_??1m is set' "$tmp/out"):$(grep -c "$(printf '\033')" "$tmp/out")" 1:0 \
    'which cannot write to the terminal'
site='CUARBITER_POLICY=host'
if has_own_etc; then
    CUARBITER_POLICY=compat run_with_site "$site\nlock=CUARBITER_POLICY" status --sysroot "$tmp/tesla" --json
    is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'host site' 'the policy of the site'
    run_with_site "$site" status
    like "$out" '*Policy          host (/etc/cuarbiter.conf)*' 'in words'
    run_with_site 'POLICY=host' status
    like "$err" '*warn: site-file: /etc/cuarbiter.conf: line 1 is not understood: CUARBITER_NAME=VALUE, *: cuarbiter is off*' \
        "a line of the site's file that says nothing, and what would"
    CUARBITER_POLICY=compat run_with_site "$site\nlock=CUARBITER_POLICY\n\0\0\0" status --json
    is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'off site' 'NULs at the end, as a crash leaves them: off'
    like "$err" '*warn: site-file: /etc/cuarbiter.conf: not read: no file, or it holds NUL bytes: *' 'and that is logged'
    CUARBITER_POLICY=compat run_with_site "\0\0$site\nlock=CUARBITER_POLICY" status --json
    is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'off site' 'and NULs before the lock'
else
    ok 'the policy of the site # SKIP no mount namespaces here'
fi
mkdir -p "$tmp/tesla/etc"
echo "$site" >"$tmp/tesla/etc/cuarbiter.conf"
run status --json
is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'auto default' 'never that of a root that facts are from'
run status --sysroot "$tmp/tesla" --json
is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'auto default' 'nor that of an image'
rm "$tmp/tesla/etc/cuarbiter.conf"
CUARBITER_LIBCUDA=$tmp/tesla$lib/libcuda.so.1 run status --json
is "$(json '.reason')" policy-file 'CUARBITER_LIBCUDA'

finish_status
