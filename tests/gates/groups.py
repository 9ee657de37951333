#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/groups: every test that meson knows is in exactly one group of scripts/test, and light is the same every
day; scripts/deps knows what each group needs, and tests/README.md each folder. TAP."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../fixtures'))
from built import BUILD, TREE

count = 0


def check(good, name, why):
    global count
    count += 1
    print('%sok %d - %s' % ('' if good else 'not ', count, name))
    if not good:
        print('#   ' + why)
    return good


groups = {}
with open(os.path.join(TREE, 'tests/groups'), encoding='utf-8') as table:
    for line in table:
        if line[0] != '#':
            name, suites = [cell.strip() for cell in line.split('|')][:2]
            groups[name] = suites.split()


def holds(suites, test):
    return any(suite in test for suite in suites) and not any('!' + suite in suites for suite in test)


tests = json.loads(subprocess.check_output(['meson', 'introspect', BUILD, '--tests'], text=True))
good = True
for test in tests:
    within = [name for name, suites in groups.items()
              if holds(suites, [suite.rpartition(':')[2] for suite in test['suite']])]
    if len(within) != 1:
        good = check(False, test['name'], 'in these groups: %s; see tests/groups' % within)
good = check(good and tests, 'each test is in one group', 'see above') and good
# mutate --sample SECONDS [SEED]: without the seed it is the day's.
daily = [test['name'] for test in tests if holds(groups['light'], [suite.rpartition(':')[2] for suite in test['suite']])
         and '--sample' in test['cmd'] and len(test['cmd']) - test['cmd'].index('--sample') < 3]
good = check(not daily, 'light is the same every day', 'a seed of the day in: %s' % daily) and good
with open(os.path.join(TREE, 'scripts/deps'), encoding='utf-8') as script:
    known = re.findall(r'^    (\w+)\) echo "', script.read(), re.M)
missing = [name for name in groups if name not in known]
good = check(not missing, 'scripts/deps has a set for each', 'none for: %s' % missing) and good
with open(os.path.join(TREE, 'tests/README.md'), encoding='utf-8') as page:
    text = page.read()
missing = [name for name in os.listdir(os.path.join(TREE, 'tests'))
           if os.path.isdir(os.path.join(TREE, 'tests', name)) and '`%s/`' % name not in text]
good = check(not missing, 'tests/README.md names each folder', 'not %s' % missing) and good
# A test that no meson.build names never runs, and nothing else would notice.
def text_of(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return file.read()


missing = []
for folder, _, names in os.walk(os.path.join(TREE, 'tests')):
    build = text_of(folder, 'meson.build') if 'meson.build' in names else None
    for name in names if build else ():
        stem = re.sub(r'^test-|\.\w+$', '', name)
        is_test = name.startswith('test-') or name.endswith('.sh') and not name.endswith('lib.sh') and \
            re.search('^finish', text_of(folder, name), re.M)
        if is_test and not re.search(r"[/'-]%s['.]" % re.escape(stem), build):
            missing.append(os.path.relpath(os.path.join(folder, name), TREE))
good = check(not missing, 'a meson.build names each test', 'not %s' % missing) and good
print('1..%d' % count)
sys.exit(not good)
