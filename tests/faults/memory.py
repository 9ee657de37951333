#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""memory.py SCENARIO...: one allocation after the other fails that the answerer asks for, also through
libc; first it alone, then it and all that come after. With the suffix .helper: in each process of its
own that tries a driver. TAP, and a row of the table. The shim allocates nothing.

The program ends with the answer that it gets bare or with the right one, and in time; the next one,
two minutes later, with the right one. FAULTS_EVERY=N: only every Nth."""
import collections
import os
import shutil
import sys
import time

from scenario import HERE, Scenario, run_all

EVERY = int(os.environ.get('FAULTS_EVERY') or 1)
PRELOAD = HERE + '/no-memory.so'
# The trials' limit is 2; the child may take a second more to end, and machines are busy.
LIMIT = 8
# In the place of the helper: the one whose number is HELPER gets no memory.
HELPER = '''#!/bin/sh
read n <"$HELPERS" || n=0
echo $((n + 1)) >"$HELPERS"
[ $((n + 1)) != "$HELPER" ] || export LD_PRELOAD=%s
exec %s "$@"
'''


class Answerer:
    """Every answerer that the request starts."""

    def __init__(self, scenario):
        self.scenario, self.file = scenario, scenario.home + '/cuarbiter-answer'
        self.real = shutil.copy(self.file, scenario.folder + '/real-answerer')

    def env(self, which):
        with open(self.scenario.home + '/no-memory', 'w', encoding='ascii') as file:
            file.write(which)
        self.put(HERE + '/answerer-no-memory')
        return self.scenario.env(0)

    def put(self, file):
        shutil.copy(file, self.file + '.new')
        os.rename(self.file + '.new', self.file)

    def end(self):
        self.put(self.real)


class Helper:
    """Its child of this number, which tries a driver."""

    def __init__(self, scenario, number):
        self.scenario, self.number = scenario, number
        self.count = os.path.join(scenario.folder, 'helpers')
        command, real = scenario.home + '/cuarbiter', scenario.home + '/real/cuarbiter'
        if not os.path.exists(real):
            os.mkdir(os.path.dirname(real))
            os.rename(command, real)
            with open(command, 'w', encoding='ascii') as file:
                file.write(HELPER % (PRELOAD, real))
            os.chmod(command, 0o755)

    def env(self, which):
        with open(self.count, 'w', encoding='ascii') as file:
            file.write('0\n')
        return {**self.scenario.env(0), 'NO_MEMORY': which, 'HELPER': str(self.number),
                'HELPERS': self.count}

    def end(self):
        pass


def age(folder):
    """All that was kept seems two minutes old."""
    for above, _, names in os.walk(folder):
        for name in names:
            os.utime(os.path.join(above, name), (time.time() - 120,) * 2)


def without_memory(place, which):
    """The answer, the next one's, and how long the first took."""
    scenario = place.scenario
    shutil.rmtree(scenario.run_folder(0))
    if 'b' in scenario.rounds:
        scenario.answer(scenario.env(0))
    began = time.monotonic()
    answer = scenario.answer(place.env(which))
    took = time.monotonic() - began
    place.end()
    age(scenario.run_folder(0))
    return answer, scenario.answer(scenario.env(0)), took


def allocations(place):
    """How many there are."""
    file = os.path.join(place.scenario.folder, 'count')
    if os.path.exists(file):
        os.unlink(file)
    answer, _, _ = without_memory(place, file)
    return answer, os.path.exists(file) and os.path.getsize(file)


def walk_place(place, name, tap, bare, right):
    answer, count = allocations(place)
    tap.check(answer == right, name + ': all of it is there')
    tap.check(count > 5, name + ': %d allocations' % count)
    verdicts, slowest = collections.Counter(), 0
    for which in [str(i) + more for i in range(1, count + 1) for more in ('', '+')][::EVERY]:
        answer, after, took = without_memory(place, which)
        good = answer in (bare, right) and after == right and took < LIMIT
        verdicts['lost' if not good else 'right' if answer == right else 'bare'] += 1
        slowest = max(slowest, took)
        if not good:
            print('# %s: allocation %s: %s, then %s, after %.1f s' % (name, which, answer, after, took))
    tap.check(not verdicts['lost'], name + ': the program gets one of both, whatever is missing')
    print('#| %-14s %4d allocations, %4d faults: %d right, %d as bare, %d lost; the slowest took %d ms'
          % (name, count, sum(verdicts.values()), verdicts['right'], verdicts['bare'], verdicts['lost'],
             slowest * 1000))


def walk(name, folder, tap):
    scenario = Scenario(name.removesuffix('.helper'), folder)
    bare, right = scenario.answer(scenario.bare_env), scenario.answer(scenario.env(0))
    if not name.endswith('.helper'):
        walk_place(Answerer(scenario), name, tap, bare, right)
        return
    number = 1
    while allocations(Helper(scenario, number))[1]:
        walk_place(Helper(scenario, number), '%s %d' % (name, number), tap, bare, right)
        number += 1
    tap.check(number == 3, name + ': NVML is asked, then a driver is tried')


if __name__ == '__main__':
    sys.exit(run_all(walk))
