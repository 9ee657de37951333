#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""changes.py SCENARIO...: a file of the request is replaced, removed or cut off before each call in
turn that the shim makes, and before each that the answerer makes. TAP, and rows of the table.

The program ends with the answer that it gets bare or with the right one. A file that is written in
place, not replaced, after it was looked at ends the program, as it ends every other that has it
mapped; so does a driver that goes between the answerer's last look and ld.so's open: late.

FAULTS_EVERY=N: only every Nth call."""
import collections
import os
import re
import shutil
import sys

import answerer
from calls import EVERY, inject, points
from scenario import BUILD, HERE, Scenario, run_all

FOREIGN = BUILD + '/tests/preload/foreign-answerer'
# In the place of the answerer: a file changes before one of its calls.
CHANGING = '''#!/bin/sh
export CHANGE_FILE=%s %s
echo '0 %d %d change' | %s/inject 15000 %s f -- %s >/dev/null
'''


def changes(scenario):
    """Name, file, and what it becomes: a file, nothing (''), or so many bytes."""
    file = scenario.home + '/cuarbiter-answer'
    folder = '%s/usr/lib/%s-linux-gnu/' % (scenario.machine, os.uname().machine)
    native = folder + 'libcuda.so.535.161.07'
    compat = scenario.machine + '/usr/local/cuda/compat/libcuda.so.550.54.15'
    yield 'answerer replaced', file, file
    yield 'answerer of another frame', file, FOREIGN
    yield 'answerer removed', file, ''
    yield 'answerer that is none', file, os.path.abspath(__file__)
    yield 'helper removed', scenario.home + '/cuarbiter', ''
    yield 'helper replaced', scenario.home + '/cuarbiter', scenario.home + '/cuarbiter'
    yield 'native replaced', native, native
    yield 'native upgraded', native, compat
    yield 'native removed', native, ''
    yield 'shim removed', scenario.home + '/libcuarbiter.so', ''
    yield 'shim replaced', scenario.home + '/libcuarbiter.so', scenario.home + '/libcuarbiter.so'
    yield 'answerer cut off', file, 4096
    yield 'native cut off', native, 4096


def long_lived(scenario, name, tap):
    """A driver that goes between two requests of one process."""
    native = '%s/usr/lib/%s-linux-gnu/libcuda.so.535.161.07' % (scenario.machine, os.uname().machine)
    shutil.copy(native, native + '.back')
    scenario.program += ['libcuda.so.1', native]
    got = scenario.answer(scenario.env(0))
    tap.check(got == ('exit 0', 'cuInit 0, then 804\\n'), '%s: gone before the second request' % name)
    print('# %s' % (got,))
    os.rename(native + '.back', native)
    scenario.program = scenario.program[:1]


def last_look(found, file, cut):
    """The last of the shim's points before which a change is seen: the answerer looks after it. Whether
    a file is whole is looked at once."""
    if os.path.basename(file).startswith('cuarbiter-answer'):
        return len(found)
    asked = [i for i, point in enumerate(found) if point[3] == 'clone']
    return asked[0] if cut else asked[-1]


def walk(name, folder, tap):
    scenario = Scenario(name, folder)
    bare, right = scenario.answer(scenario.bare_env), scenario.answer(scenario.env(0))
    if name == 'named':
        long_lived(scenario, name, tap)
    found = [point for point in points(scenario)[0] if point[0] == '0']
    tried = list(enumerate(found))[::EVERY]
    for number, (what, file, to) in enumerate(changes(scenario)):
        back = os.path.join(folder, 'back%d' % number)
        shutil.copy(file, back)
        more = {'CHANGE_FILE': file, 'CHANGE_BACK': back}
        if isinstance(to, int):
            more['CHANGE_CUT'] = str(to)
        else:
            more['CHANGE_TO'] = back if to == file else to
        seen = last_look(found, file, 'CHANGE_CUT' in more) if to != file else len(found)
        verdicts = collections.Counter()
        lines = inject(scenario, 0, [(p[0], p[1], p[2], 'change') for _, p in tried], more)
        for (i, point), line in zip(tried, lines):
            got = tuple(line.split('\t')[1:3])
            verdict = 'right' if got == right else 'bare' if got == bare else 'late' if i > seen else 'lost'
            verdicts[verdict] += 1
            if verdict == 'lost':
                print('# %s, %s: %s: %s' % (name, what, point[4][:160], got))
        shutil.copy(back, file)
        tap.check(not verdicts['lost'], '%s: %s' % (name, what))
        print('#| %-12s %-28s %4d faults: %s' % (
            name, what, len(tried), ', '.join('%d %s' % (n, v) for v, n in sorted(verdicts.items()))))
    within_answerer(scenario, name, tap, bare, right)


def within_answerer(scenario, name, tap, bare, right):
    """The drivers, before each call that the answerer makes."""
    place = answerer.Place(scenario, 'cuarbiter-answer')
    place.begin()
    place.put('-n')
    scenario.answer(scenario.env(0))
    found = [match for match in (re.match(r'\[ *(\d+)\] (\w+)\((.*)', line) for line in place.lines()) if match]
    folder = '%s/usr/lib/%s-linux-gnu/libcuda.so' % (scenario.machine, os.uname().machine)
    looks = [i for i, match in enumerate(found) if folder in match[3] and match[2] != 'write']
    tap.check(len(found) > 50 and looks, '%s: %d calls of the answerer' % (name, len(found)))
    idle = os.path.join(scenario.folder, 'idle')
    os.mkdir(idle)
    for number, (what, file, to) in enumerate(changes(scenario)):
        if not what.startswith(('native', 'helper')):
            continue
        back = os.path.join(scenario.folder, 'back%d' % number)
        verdicts, counts = collections.Counter(), collections.Counter()
        for i, match in enumerate(found):
            counts[match[1]] += 1
            if match[2] in ('execve', 'exit_group') or i % (4 * EVERY):
                continue
            how = 'CHANGE_CUT=%d' % to if isinstance(to, int) else "CHANGE_TO='%s'" % (back if to == file else to)
            with open(place.file + '.new', 'w', encoding='ascii') as script:
                script.write(CHANGING % (file, how, counts[match[1]], int(match[1]), HERE, idle, place.real))
            os.chmod(place.file + '.new', 0o755)
            os.rename(place.file + '.new', place.file)
            shutil.rmtree(scenario.run_folder(0))
            got = scenario.answer(scenario.env(0))
            shutil.copy(back, file + '.new')
            os.rename(file + '.new', file)
            verdict = 'right' if got == right else 'bare' if got == bare else \
                'late' if to != file and i >= (looks[0] if isinstance(to, int) else looks[-1]) else 'lost'
            verdicts[verdict] += 1
            if verdict == 'lost':
                print('# %s, %s: %s: %s' % (name, what, match[0][:160], got))
        place.put_back()
        tap.check(not verdicts['lost'], '%s: %s, before calls of the answerer' % (name, what))
        print('#| %-12s %-28s %4d faults within the answerer: %s' % (
            name, what, sum(verdicts.values()), ', '.join('%d %s' % (n, v) for v, n in sorted(verdicts.items()))))


sys.exit(run_all(walk))
