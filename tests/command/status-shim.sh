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
LD_PRELOAD=$files/libcuarbiter.so CUARBITER_POLICY=off run status
like "$out" "*Shim            off, but loaded through LD_PRELOAD: $files/libcuarbiter.so*" 'switched off: not active'
mkdir "$tmp/alone"
cp "$files/libcuarbiter.so" "$tmp/alone/"
trouble() { # WHAT ENDING
    LD_PRELOAD=$tmp/alone/libcuarbiter.so run status --json
    is "$(json '.shim.trouble // ""')" "$2" "$1: as JSON"
    schema "$1"
    LD_PRELOAD=$tmp/alone/libcuarbiter.so run status
    like "$(echo "$out" | tr -s ' \n' ' ')" "* ($version) ${2:+$2 }Policy *" "$1"
}
alone=$tmp/alone/cuarbiter-answer
trouble 'a shim without an answerer' "the file cuarbiter-answer is missing: cuarbiter changes nothing ($alone)"
LD_PRELOAD=$tmp/alone/libcuarbiter.so CUARBITER_SYSROOT=$tmp/older run status
like "$out" '*cuarbiter cannot work here: see Shim below*' 'a shim without an answerer: the outcome says so too'
: >"$alone"
trouble 'an empty answerer' "$alone is not cuarbiter's program: cuarbiter changes nothing"
cp "$files/libcuarbiter.so" "$alone"
trouble 'another file in its place' "$alone is not cuarbiter's program: cuarbiter changes nothing"
cp "$files/cuarbiter-answer" "$alone" && chmod 755 "$alone"
trouble 'an answerer of this build' ''
chmod 644 "$alone"
trouble 'an answerer without its mode' "$alone cannot be executed (check its mode, and its mount for noexec): cuarbiter changes nothing"
sed "s/cuarbiter answerer $version/cuarbiter answerer 9.9.9/" "$files/cuarbiter-answer" >"$alone"
chmod 755 "$alone"
trouble 'an answerer of another build' "$alone is version 9.9.9, but libcuarbiter.so is version $version: take all files of cuarbiter from one build"
sed "s/cuarbiter answerer $version\x00frame ./cuarbiter answerer $version\x00frame x/" \
    "$files/cuarbiter-answer" >"$alone"
trouble 'an answerer of another frame' \
    "$alone is version $version, which does not fit this libcuarbiter.so, so cuarbiter changes nothing: take all files of cuarbiter from one build"
mkdir -p "$tmp/older/etc"
echo /opt/cuarbiter/libcuarbiter.so >"$tmp/older/etc/ld.so.preload"
run status --sysroot "$tmp/older" --json
is "$(json '[.shim.active, .shim.through[0]]|@csv')" ',"/etc/ld.so.preload"' 'in an image'
schema 'a shim in an image'

finish_status
