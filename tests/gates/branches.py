#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The newest branch of data/umd.tsv is in every place that a new branch touches, and data/README.md names each
place. TAP, one line a place."""
import os
import re
import sys

TREE = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')


def text(path):
    with open(os.path.join(TREE, path), encoding='utf-8') as file:
        return file.read()


def rows(path):
    return [line.split('\t') for line in text(path).splitlines() if line and line[0] != '#']


def first_is(path, key):
    return any(row[0] == key for row in rows(path))


def within(path, start, pattern):
    """The pattern between the line that starts so and the next brace or bracket at the start of a line."""
    return re.search(pattern, re.search(r'^%s.*?^[}\]]' % re.escape(start), text(path), re.M | re.S)[0])


# What each must have of a branch and its CUDA. What only some branches bring (a new GPU, a capability dropped, a
# brand let in) is in data/README.md alone.
PLACES = {
    'forward.tsv': lambda branch, cuda: first_is('data/forward.tsv', branch),
    'toolkit.tsv': lambda branch, cuda: first_is('data/toolkit.tsv', cuda),
    'ptx.tsv': lambda branch, cuda: first_is('data/ptx.tsv', cuda),
    'How current they are': lambda branch, cuda: '| `umd.tsv` | %s |' % branch in text('data/README.md'),
    'tests/fixtures/fake/table.py': lambda branch, cuda: all(
        within('tests/fixtures/fake/table.py', start, r'\b%s: ' % branch) for start in ('CUDA =', 'BRANCHES =')),
    'tests/score/truth.py': lambda branch, cuda: within('tests/score/truth.py', 'CUDA =', r'\b%s: ' % branch),
    'tests/world/machine.c': lambda branch, cuda: re.search(r'\{%s, \d+, \d+, true\}' % branch,
                                                            text('tests/world/machine.c')),
    'tests/cases/cases.tsv': lambda branch, cuda: any(row[3].startswith(branch + '.')
                                                      for row in rows('tests/cases/cases.tsv')),
}
count = failed = 0


def check(good, name, why):
    global count, failed
    count += 1
    failed += not good
    print('%sok %d - %s' % ('' if good else 'not ', count, name))
    if not good:
        print('#   ' + why)


newest, cuda = rows('data/umd.tsv')[-1][:2]
how = re.search(r'\*\*A new driver branch\*\*.*?\n\n\*\*', text('data/README.md'), re.S)[0]
for place, has in PLACES.items():
    check(has(newest, cuda), '%s has %s, CUDA %s' % (place, newest, cuda), 'the newest branch of data/umd.tsv was forgotten')
    check(not has('888', '88.8'), '%s: a branch that it lacks is missed' % place, 'this check sees nothing')
    check(place in how, 'data/README.md names ' + place, 'it is to be in "A new driver branch"')
print('1..%d' % count)
sys.exit(failed != 0)
