#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""signals.py SCENARIO...: an alarm every 100 us during the request, which makes calls return early
(plain) or not (restart), many times over. For programs that open libcuda: what one is linked with
is decided before it sets an alarm. TAP, and a row of the table.

The program ends with the answer that it gets bare or with the right one, in time, and the next one
with the right one."""
import collections
import os
import shutil
import sys
import time

from scenario import Scenario, run_all

TIMES = int(os.environ.get('FAULTS_TIMES') or 40)
LIMIT = 8


def walk(name, folder, tap):
    scenario = Scenario(name, folder)
    bare, right = scenario.answer(scenario.bare_env), scenario.answer(scenario.env(0))
    for how in ('plain', 'restart'):
        verdicts = collections.Counter()
        for _ in range(TIMES):
            shutil.rmtree(scenario.run_folder(0))
            began = time.monotonic()
            answer = scenario.answer({**scenario.env(0), 'ALARMS': how})
            took = time.monotonic() - began
            after = scenario.answer(scenario.env(0))
            good = answer in (bare, right) and after == right and took < LIMIT
            verdicts['lost' if not good else 'right' if answer == right else 'bare'] += 1
            if not good:
                print('# %s, %s: %s, then %s, after %.1f s' % (name, how, answer, after, took))
        tap.check(not verdicts['lost'], '%s: alarms, %s' % (name, how))
        print('#| %-12s alarms, %-8s %4d faults: %d right, %d as bare, %d lost'
              % (name, how, TIMES, verdicts['right'], verdicts['bare'], verdicts['lost']))


sys.exit(run_all(walk))
