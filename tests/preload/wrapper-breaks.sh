#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The test of the caller's identity can fail: a wrapper that calls does break the plugin.
#
#   wrapper-breaks.sh SHIM WRAPPER FOLDER PROGRAM
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"
unset LD_LIBRARY_PATH # meson names its own folders there

shim=$1 wrapper=$2 folder=$3 program=$4

sibling() {
    # shellcheck disable=SC2086
    LD_PRELOAD=$1 ${EMULATOR:-} "$program" "$folder" | sed -n "s/.*sibling: //p"
}

is "$(sibling '')" 42 'bare, the plugin finds its sibling'
is "$(sibling "$shim")" 42 'under the shim too'
is "$(sibling "$wrapper")" -1 'under a wrapper that calls it does not'
finish
