#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The test of the caller's identity can fail: a wrapper that calls does break the plugin.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

sibling() {
    # shellcheck disable=SC2086
    LD_PRELOAD=$1 $emulator "$built/program-caller-runpath" "$built" | sed -n "s/.*sibling: //p"
}

is "$(sibling '')" 42 'bare, the plugin finds its sibling'
is "$(sibling "$shim")" 42 'under the shim too'
is "$(sibling "$built/calling-wrapper.so")" -1 'under a wrapper that calls it does not'
finish
