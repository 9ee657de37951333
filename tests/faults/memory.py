#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""memory.py SCENARIO...: one allocation after the other fails that shim and engine ask for, also
through libc and ld.so; first it alone, then it and all that come after. TAP, and a row of the table.

The program ends with the answer that it gets bare or with the right one. FAULTS_EVERY=N: only every
Nth."""
import collections
import os
import shutil
import sys

from scenario import HERE, Scenario, run_all

EVERY = int(os.environ.get('FAULTS_EVERY') or 1)


def without_memory(scenario, which):
    shutil.rmtree(scenario.run_folder(0))
    env = scenario.env(0)
    return scenario.answer({**env, 'LD_PRELOAD': env['LD_PRELOAD'] + ':' + HERE + '/no-memory.so',
                            'NO_MEMORY': which})


def walk(name, folder, tap):
    scenario = Scenario(name, folder)
    bare, right = scenario.answer(scenario.bare_env), scenario.answer(scenario.env(0))
    count_file = os.path.join(folder, 'count')
    tap.check(without_memory(scenario, count_file) == right, name + ': all of it is there')
    count = os.path.exists(count_file) and os.path.getsize(count_file)
    tap.check(count > 10, name + ': %d allocations' % count)
    verdicts = collections.Counter()
    for which in [str(i) + more for i in range(1, count + 1) for more in ('', '+')][::EVERY]:
        answer = without_memory(scenario, which)
        verdicts['right' if answer == right else 'bare' if answer == bare else 'lost'] += 1
        if answer not in (bare, right):
            print('# %s: allocation %s: %s' % (name, which, answer))
    tap.check(not verdicts['lost'], name + ': the program gets one of both, whatever is missing')
    print('#| %-12s %4d allocations, %4d faults: %d right, %d as bare, %d lost'
          % (name, count, sum(verdicts.values()), verdicts['right'], verdicts['bare'], verdicts['lost']))


sys.exit(run_all(walk))
