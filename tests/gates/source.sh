#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the sources keep to (CONTRIBUTING.md). TAP.
set -eu

cd "$(dirname "$0")/../.."
tests=0 failed=0

none() { # NAME UNWANTED
    tests=$((tests + 1))
    if [ -z "$2" ]; then
        echo "ok $tests - $1"
    else
        failed=1
        echo "not ok $tests - $1"
        printf '%s\n' "$2" | sed 's/^/#   /'
    fi
}

sources() { # PATTERN...: files of the tree, without build folders
    for pattern in "$@"; do
        find include shim probe tests scripts data .ci -name "$pattern" -type f 2>/dev/null
    done | grep -v -e '/build[^/]*/' -e '/__pycache__/' | sort -u
}

scripts() {
    find scripts tests probe .ci -type f 2>/dev/null | grep -v -e '/build[^/]*/' -e '\.[chS]$' |
        xargs grep -lI '^#!/'
}

none 'every source names its licence' \
    "$( (sources '*.c' '*.h' '*.S' '*.py' && scripts) | sort -u |
        xargs awk 'FNR == 1 && file { print file } FNR == 1 { file = FILENAME }
            FNR <= 5 && /SPDX-License-Identifier: Apache-2.0/ { file = "" }
            END { if (file) print file }')"
none 'the tests that docs/evidence/promises.md and docs/stability.md name are there' \
    "$(grep -oh 'tests/[A-Za-z0-9./-]*' docs/evidence/promises.md docs/stability.md | sort -u |
        while read -r file; do [ -e "$file" ] || echo "$file"; done)"
# The Dockerfile copies what is built, one by one, and no other test in the CI builds an image.
none 'the Dockerfile copies what there is' \
    "$(sed -n 's/^COPY \([^-].*\) [^ ]*$/\1/p' Dockerfile | tr ' ' '\n' |
        while read -r file; do [ -e "$file" ] || echo "$file"; done)"
none 'the Dockerfile copies what is built' \
    "$(sed -n "s/^subdir('\([^']*\)').*/\1/p" meson.build |
        while read -r folder; do grep -q "^COPY ${folder%%/*} " Dockerfile || echo "$folder"; done)"
none 'headers are guarded' "$(sources '*.h' | grep -v '^tests/' |
    xargs grep -L -e '^#ifndef CUA' -e '^#pragma once')"
none 'nothing is left to be done' "$(sources '*.c' '*.h' '*.S' '*.sh' '*.py' |
    xargs grep -nE '\b(TO[D]O|FIX[M]E|X[X]X)\b' || :)"
none 'no blanks at line ends' "$(sources '*.c' '*.h' '*.S' '*.sh' '*.py' 'meson.build' |
    xargs grep -nE '[[:blank:]]+$' || :)"

# cmocka's own says "not ok", which is a failure to meson.
none 'tests skip by CUA_UNIT_SKIP' "$(sources '*.c' | grep '^tests/' |
    xargs grep -nE '^[[:space:]]*skip\(\);' /dev/null || :)"

# A shim that looks symbols up by dlsym leaves traces in dlerror and needs libdl.
none 'the shim calls no dlsym' "$(sources '*.c' '*.S' | grep '^shim/' |
    xargs grep -nE '\bdl(v?sym|error|close|addr1?|info)[[:space:]]*\(' /dev/null || :)"
none 'the shim includes nothing of probe/' "$(sources '*.[chS]' | grep '^shim/' |
    xargs grep -nE '#include "(\.\./)*probe/' /dev/null || :)"
# It runs inside somebody else's process.
none 'the shim never ends its host' "$(sources '*.c' | grep -e '^shim/' |
    xargs grep -nE '\b(assert|abort|exit)[[:space:]]*\(' /dev/null || :)"
none 'shim and answerer never write to standard output' "$(sources '*.c' |
    grep -e '^shim/' -e '^probe/' | grep -v -E '^probe/(cli|deploy|command)/' |
    xargs grep -nE '\b(v?printf|puts|putchar)\(|\b(stdout|STDOUT_FILENO)\b' /dev/null || :)"
# Its tables are those of the locale, and the shim's libc may not have been set up yet.
none 'shim and answerer use nothing of ctype.h' "$(sources '*.[ch]' |
    grep -e '^shim/' -e '^probe/' | grep -v -E '^probe/(cli|deploy|command)/' |
    xargs grep -nE '<ctype.h>|\b(is(alpha|alnum|digit|xdigit|space|print|upper|lower)|to(upper|lower))\(' \
        /dev/null || :)"

echo "1..$tests"
exit $failed
