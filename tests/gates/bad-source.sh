#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each gate of the sources refuses a tree with one fault planted in it.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

gates=$tree/tests/gates
plant() { # an empty tree with two files of one room
    rm -rf "$tmp/tree" "$tmp/objects"
    mkdir -p "$tmp/tree/include" "$tmp/tree/shim" "$tmp/tree/probe/base"
    for file in one two; do
        printf '/* A file. */\nvoid cua_%s(void);\n' $file >"$tmp/tree/probe/base/$file.h"
        printf '#include "base/%s.h"\n\nstruct %s {\n    int n;\n};\n\nvoid cua_%s(void)\n{\n}\n' \
            $file $file $file >"$tmp/tree/probe/base/$file.c"
    done
}
objects() {
    mkdir -p "$tmp/objects/probe/base.p" "$tmp/objects/shim/shim.p"
    for file in one two; do
        "${CC:-cc}" -c -I"$tmp/tree/probe" -o "$tmp/objects/probe/base.p/base_$file.c.o" \
            "$tmp/tree/probe/base/$file.c"
    done
    echo 'void cua_shim(void) { }' >"$tmp/tree/shim/shim.c"
    "${CC:-cc}" -c -o "$tmp/objects/shim/shim.p/shim.c.o" "$tmp/tree/shim/shim.c"
}
accepts() { # NAME GATE ARGUMENT...
    name=$1 gate=$2
    shift 2
    if said=$("$gates/$gate" "$@"); then ok "$name"; else not_ok "$name" "$said"; fi
}
refuses() { # NAME PATTERN GATE ARGUMENT...
    name=$1 pattern=$2 gate=$3
    shift 3
    if said=$("$gates/$gate" "$@"); then not_ok "$name" "$said"; else like "$said" "$pattern" "$name"; fi
}

plant && objects
accepts 'circles: a tree without a fault' circles.py "$tmp/tree" "$tmp/objects"
accepts 'names: a tree without a fault' names.py "$tmp/tree"

plant
echo '#include "base/two.h"' >>"$tmp/tree/probe/base/one.h"
accepts 'circles: one that includes another' circles.py "$tmp/tree"
echo '#include "base/one.h"' >>"$tmp/tree/probe/base/two.c"
refuses 'circles: two that include each other' '*base/one base/two*' circles.py "$tmp/tree"

plant
mkdir "$tmp/tree/shim/sub"
echo '#include "b.h"' >"$tmp/tree/shim/a.h"
echo '#include "sub/c.h"' >"$tmp/tree/shim/b.c"
echo '#include "a.h"' >"$tmp/tree/shim/sub/c.h"
: >"$tmp/tree/shim/b.h"
refuses 'circles: three of the shim around a circle' '*a b sub/c*' circles.py "$tmp/tree"

plant
printf 'void cua_two(void);\nvoid call_two(void)\n{\n    cua_two();\n}\n' >>"$tmp/tree/probe/base/one.c"
objects
accepts 'circles: one that calls another' circles.py "$tmp/tree" "$tmp/objects"
printf 'void cua_one(void);\nvoid call_one(void)\n{\n    cua_one();\n}\n' >>"$tmp/tree/probe/base/two.c"
objects
refuses 'circles: two that call each other' '*base/one base/two*' circles.py "$tmp/tree" "$tmp/objects"
rm -rf "$tmp/objects"
mkdir "$tmp/objects"
refuses 'circles: objects that are not there' '*no objects*' circles.py "$tmp/tree" "$tmp/objects"

plant
printf 'struct two {\n    int n;\n};\n' >>"$tmp/tree/probe/base/one.c"
refuses 'names: a struct in two files' '*struct two: *' names.py "$tmp/tree"
plant
printf 'enum kind {\n    A\n};\n' | tee -a "$tmp/tree/probe/base/one.c" >>"$tmp/tree/shim/shim.h"
refuses 'names: an enum of the shim and of probe/' '*enum kind: *' names.py "$tmp/tree"
plant
printf '\nint cua_two(const char *s)\n{\n    return *s;\n}\n' >"$tmp/tree/shim/shim.c"
refuses 'names: a function of the shim and of probe/' '*cua_two: *' names.py "$tmp/tree"
plant
printf '\nstatic int cua_two(void)\n{\n    return 0;\n}\n' >>"$tmp/tree/probe/base/one.c"
refuses 'names: a static function by the name of another' '*cua_two: *' names.py "$tmp/tree"
finish
