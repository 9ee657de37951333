#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The three files come out the same, byte for byte, wherever source and build lie. TAP.
#
#   same-bytes.sh [CC...]
set -eu

source=$(cd "$(dirname "$0")/../.." && pwd)
export CC="${*:-cc}"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cuarbiter-bytes.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

built='shim/libcuarbiter.so probe/cuarbiter-answer probe/cuarbiter'

build() { # SOURCE BUILD
    mkdir -p "$tmp/$1"
    (cd "$source" && tar c --exclude='./build*' --exclude=./.git --exclude=./dist .) |
        tar x -C "$tmp/$1"
    # shellcheck disable=SC2086
    { meson setup "$tmp/$2" "$tmp/$1" && ninja -C "$tmp/$2" $built; } >"$tmp/log" 2>&1 || {
        sed 's/^/# /' "$tmp/log"
        echo 'Bail out! the build failed'
        exit 1
    }
}

build one one/build
build a/deeper/folder beside/it

tests=0 failed=0
for file in $built; do
    tests=$((tests + 1))
    if cmp "$tmp/one/build/$file" "$tmp/beside/it/$file"; then
        echo "ok $tests - ${file##*/}"
    else
        failed=1
        echo "not ok $tests - ${file##*/}"
    fi
done
echo "1..$tests"
exit $failed
