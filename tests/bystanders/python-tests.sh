#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Python's own tests of what goes through the loader and through exec: the same ones pass with the
# shim as without, by name. TAP.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"
# shellcheck source=tests/bystanders/lib.sh
. "$(dirname "$0")/lib.sh"

need_tool python3
python3=/usr/bin/python3
[ -x "$python3" ] || python3=$(command -v python3)
"$python3" -c 'import test.test_ctypes' 2>/dev/null ||
    "$python3" -c 'import ctypes.test, test.test_subprocess' 2>/dev/null ||
    skip 'no tests of python here: scripts/deps bystanders'
modules='test_ctypes test_subprocess test_threading test_importlib'
make_states

passed() { # STATE bare|shimmed
    rm -rf "${tmp:?}/home"
    mkdir "$tmp/home"
    (
        cd "$tmp/home" || exit
        # shellcheck disable=SC2086
        in_state "$1" "$2" env HOME="$tmp/home" "$python3" -B -m test -j 2 --timeout 200 \
            --junit-xml "$tmp/results.xml" $modules >"$tmp/log" 2>&1
    )
    "$python3" - "$tmp/results.xml" <<'P'
import sys
import xml.etree.ElementTree as tree
for case in tree.parse(sys.argv[1]).iter('testcase'):
    if case.get('result') == 'completed' and not len(case.findall('error') + case.findall('failure')):
        print(case.get('name'))
P
    rm -f "$tmp/results.xml"
}

compare() { # STATE
    passed "$1" shimmed | sort >"$tmp/shimmed"
    is "$(diff "$tmp/bare" "$tmp/shimmed" | grep '^[<>]')" '' \
        "$1 libcuda: the same $(wc -l <"$tmp/bare") tests of python pass"
}

passed none bare | sort >"$tmp/bare"
[ "$(wc -l <"$tmp/bare")" -gt 20 ] || not_ok 'the tests run at all' "$(tail -n 20 "$tmp/log")"
for state in $states; do
    compare "$state"
done
finish
