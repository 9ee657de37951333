#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The version of a real driver whose name does not tell it, from its content alone.
# shellcheck disable=SC1091,SC2154
set -u
. "$(dirname "$0")/../fixtures/lib.sh"
all='390.157 418.226.00 450.248.02 460.106.00 470.256.02 525.147.05 535.261.03 550.163.01 555.58.02'
# shellcheck disable=SC2086
need_drivers $all
need_tool jq
for version in $all; do
    cp -L "$drivers/$version/libcuda.so.1" "$tmp/libcuda.so.1"
    got=$("$command" inspect --json "$tmp/libcuda.so.1" | jq -r '.[0].version + " " + (.[0].version_from_content | tostring)')
    is "$got" "$version true" "$version by its content"
done
finish
