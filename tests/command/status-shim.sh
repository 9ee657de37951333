#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter status under the shim, and what ails a shim.

# shellcheck source=tests/command/status-lib.sh
. "$(dirname "$0")/status-lib.sh"

machines older

run status --json
is "$(json '.shim|tojson')" '{"active":false,"path":null,"version":null,"through":[],"trouble":null}' 'no shim here'
LD_PRELOAD=$files/libcuarbiter.so run status --json
version=$("$cuarbiter" --version | sed -n 's/^cuarbiter //p')
is "$(json '[.shim.active, .shim.path, .shim.version, .shim.through[0], .shim.trouble]|@csv')" \
    "true,\"$files/libcuarbiter.so\",\"$version\",\"LD_PRELOAD\"," 'under the shim, with its version'
LD_PRELOAD=$files/libcuarbiter.so run status
like "$out" "*Shim            active through LD_PRELOAD: $files/libcuarbiter.so*" 'in words'
mkdir "$tmp/alone"
cp "$files/libcuarbiter.so" "$tmp/alone/"
trouble() { # WHAT ENDING
    LD_PRELOAD=$tmp/alone/libcuarbiter.so run status --json
    is "$(json .shim.trouble)" "$2" "$1: as JSON"
    schema "$1"
    LD_PRELOAD=$tmp/alone/libcuarbiter.so run status
    like "$(echo "$out" | tr -s ' \n' ' ')" "* ($version) $2 Policy *" "$1"
}
engine=$tmp/alone/libcuarbiter-engine.so
trouble 'a shim without an engine' "It does nothing: $engine: No such file or directory"
: >"$engine"
trouble 'an empty engine' "It does nothing: $engine is not an engine"
sed "s/cuarbiter engine $version/cuarbiter engine 9.9.9/" "$files/libcuarbiter-engine.so" >"$engine"
trouble 'an engine of another build' "$engine is 9.9.9: take all three files from one build"
mkdir -p "$tmp/older/etc"
echo /opt/cuarbiter/libcuarbiter.so >"$tmp/older/etc/ld.so.preload"
run status --sysroot "$tmp/older" --json
is "$(json '[.shim.active, .shim.through[0]]|@csv')" ',"/etc/ld.so.preload"' 'in an image'
schema 'a shim in an image'

finish_status
