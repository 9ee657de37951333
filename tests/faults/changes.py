#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""changes.py SCENARIO...: a file of the request is replaced, removed or cut off before each call in
turn that shim and engine make. TAP, and rows of the table.

The program ends with the answer that it gets bare or with the right one. A file that is written in
place, not replaced, after it was looked at ends the program, as it ends every other that has it
mapped; so does a driver that goes between the last look and ld.so's open: late.

FAULTS_EVERY=N: only every Nth call."""
import collections
import os
import shutil
import sys

from calls import EVERY, inject, points
from scenario import BUILD, Scenario, run_all

FOREIGN = BUILD + '/tests/preload/foreign-engine.so'


def changes(scenario):
    """Name, file, and what it becomes: a file, nothing (''), or so many bytes."""
    engine = scenario.home + '/libcuarbiter-engine.so'
    folder = '%s/usr/lib/%s-linux-gnu/' % (scenario.machine, os.uname().machine)
    native = folder + 'libcuda.so.535.161.07'
    compat = scenario.machine + '/usr/local/cuda/compat/libcuda.so.550.54.15'
    yield 'engine replaced', engine, engine
    yield 'engine of another contract', engine, FOREIGN
    yield 'engine removed', engine, ''
    yield 'engine that is none', engine, os.path.abspath(__file__)
    yield 'helper removed', scenario.home + '/cuarbiter', ''
    yield 'helper replaced', scenario.home + '/cuarbiter', scenario.home + '/cuarbiter'
    yield 'native replaced', native, native
    yield 'native upgraded', native, compat
    yield 'native removed', native, ''
    yield 'shim removed', scenario.home + '/libcuarbiter.so', ''
    yield 'shim replaced', scenario.home + '/libcuarbiter.so', scenario.home + '/libcuarbiter.so'
    yield 'engine cut off', engine, 4096
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
    """The last of the points before which a change can be seen. Whether a file is whole is looked at
    once; a driver is looked for once more before it is named."""
    if file.endswith('engine.so'):
        return next(i for i, point in enumerate(found) if file in point[4]) if cut else len(found)
    folder = os.path.dirname(file)
    looks = [i for i, point in enumerate(found) if folder + '/libcuda.so' in point[4]]
    return next(i for i in looks if found[i][3] == 'openat') if cut else max(looks + [-1])


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


sys.exit(run_all(walk))
