#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No tag of a struct, union or enum and no function name has two meanings in include/, shim/ and
probe/. TAP.

    names.py SOURCE-FOLDER

A name that is defined twice has two meanings, unless TWICE says why not. Static functions may share
a name with each other, not with a function that has linkage.
"""
import pathlib
import re
import sys

TWICE = {
    'cua_starts': 'the same function: the shim includes nothing of probe/',
    'main': 'of two programs',
}

root = pathlib.Path(sys.argv[1]) if sys.argv[1:] else pathlib.Path(__file__).resolve().parents[2]
tags, linked, static = {}, {}, {}
for room in ('include', 'shim', 'scripts', 'probe'):
    for path in sorted((root / room).rglob('*.[ch]')):
        name = path.relative_to(root).as_posix()
        text = re.sub(r'/\*.*?\*/', '', path.read_text(), flags=re.S)
        text = re.sub(r'__attribute__\(\(.*?\)\)|ElfW\(\w+\)', 'int', text)
        for kind, tag in re.findall(r'^[ \t]*(?:\w+ )*(struct|union|enum) (\w+)\s*\{', text, re.M):
            tags.setdefault(kind + ' ' + tag, set()).add(name)
        for head, function in re.findall(r'^(\w[\w \t\n*()]*?[ \n*])(\w+)\([^;{}]*\)\n\{', text, re.M):
            kept = static if re.search(r'\bstatic\b', head) and path.suffix == '.c' else linked
            kept.setdefault(function, set()).add(name)

bad_tags = ['%s: %s' % (tag, ' '.join(sorted(files))) for tag, files in sorted(tags.items())
            if len(files) > 1 and tag not in TWICE]
bad_names = ['%s: %s' % (name, ' '.join(sorted(files | static.get(name, set()))))
             for name, files in sorted(linked.items())
             if len(files | static.get(name, set())) > 1 and name not in TWICE]
checks = [('no tag has two meanings', bad_tags), ('no function name has two meanings', bad_names),
          ('there are tags and functions', [] if len(tags) and len(linked) else ['none found'])]
for number, (what, bad) in enumerate(checks, 1):
    print('%s %d - %s' % ('not ok' if bad else 'ok', number, what))
    for line in bad:
        print('#   ' + line)
print('1..%d' % len(checks))
sys.exit(1 if any(bad for _, bad in checks) else 0)
