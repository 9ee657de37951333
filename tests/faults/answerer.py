#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""answerer.py SCENARIO...: makes one system call after the other fail that the answerer makes for a
request, with each error that it can give: strace starts it in its place. With the suffix .helper: those
that each helper makes before it opens a driver. TAP, and a row of the table.

The program ends with the answer that it gets bare or with the right one, or, where a file could not be
read, as without that file, and in time; the next one, two minutes later, with the right one.

FAULTS_EVERY=N: only every Nth fault."""
import collections
import os
import re
import shutil
import subprocess
import sys
import time

from calls import CREATION, ERRORS, EVERY, GONE, NEVER, REFUSALS
from memory import age
from scenario import SAME, Scenario, run_all_traced

# The keeper waits for a trial's limit, and 2 s more; machines are busy.
LIMIT = 12
# What strace cannot do: a call that gets half.
BEYOND = ('half', 'none')


class Place:
    """The file that strace is started in the place of."""

    def __init__(self, scenario, file):
        self.scenario, self.helper = scenario, file == 'cuarbiter'
        self.file, self.log = os.path.join(scenario.home, file), os.path.join(scenario.folder, 'log')
        self.real = os.path.join(scenario.home, 'real', file)
        os.mkdir(os.path.dirname(self.real))
        shutil.copy(self.file, self.real)

    def put(self, *options):
        if os.path.exists(self.log):
            os.unlink(self.log)
        with open(self.file + '.new', 'w', encoding='ascii') as file:
            file.write('#!/bin/sh\nexec %s -qq -A -s 200 -o %s %s %s "$@"\n' % (
                shutil.which('strace'), self.log, ' '.join(options), self.real))
        os.chmod(self.file + '.new', 0o755)
        os.rename(self.file + '.new', self.file)

    def put_back(self):
        shutil.copy(self.real, self.file + '.new')
        os.rename(self.file + '.new', self.file)

    def lines(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding='utf-8', errors='replace') as file:
            return [line.strip() for line in file]

    def answer(self):
        """The answer, the next one's, and how long the first took."""
        scenario = self.scenario
        began = time.monotonic()
        answer = scenario.answer(scenario.env(0))
        took = time.monotonic() - began
        after = None
        if scenario.rounds.endswith('n'):
            self.put_back()
            age(scenario.run_folder(0))
            after = scenario.answer(scenario.env(0))
        return answer, after, took

    def begin(self):
        shutil.rmtree(self.scenario.run_folder(0))
        if 'b' in self.scenario.rounds:
            self.put_back()
            self.scenario.answer(self.scenario.env(0))


def points(place):
    """(Ordinal, name, line) of each call: the ordinal counts those of that name."""
    counts, seen, found = collections.Counter(), set(), []
    for line in place.lines():
        call = re.match(r'(\w+)\(', line)
        name = call and call[1]
        if name == 'execve':
            counts.clear()
        counts[name] += 1
        if name == 'openat' and place.helper and re.search(r'/lib(cuda|nvidia-ml)\.so', line):
            break
        if name in ERRORS and name not in NEVER and (name, counts[name]) not in seen and name != 'execve':
            seen.add((name, counts[name]))
            found.append((counts[name], name, line))
    return found


def faults(found, single):
    refused = set()
    for point in found:
        for error in ERRORS[point[1]].split() if single else ():
            if error[0] != '.' and error not in BEYOND and \
                    (error not in CREATION or point[1] != 'openat' or 'O_CREAT' in point[2]):
                yield point, error, '%d' % point[0]
        if point[1] not in refused:
            refused.add(point[1])
            for error in REFUSALS:
                yield point, error, '%d+' % point[0]


def walk(name, folder, tap):
    scenario = Scenario(name.removesuffix('.helper'), folder)
    bare, right = scenario.answer(scenario.bare_env), scenario.answer(scenario.env(0))
    tap.check((bare != right) == (scenario.name.removesuffix('-here') not in SAME), name + ': what it gets bare, and what with the shim')
    place = Place(scenario, 'cuarbiter' if name.endswith('.helper') else 'cuarbiter-answer')
    place.begin()
    place.put()
    tap.check(place.answer()[0] == right, name + ': the same under strace')
    found = points(place)
    tap.check(len(found) > 20, '%s: %d points' % (name, len(found)))
    if scenario.default:
        tap.check(any('/etc/cuarbiter' in point[2] for point in found), name + ': what the site says is read')
    verdicts, tried = collections.Counter(), 0
    for point, error, when in list(faults(found, not name.startswith('hang')))[::EVERY]:
        how = 'retval=0' if error == '0' else 'error=' + error
        place.begin()
        place.put('-e', 'inject=%s:%s:when=%s' % (point[1], how, when))
        try:
            answer, after, took = place.answer()
        except subprocess.TimeoutExpired:
            answer, after, took = 'hung', right, 60
        reached = any('INJECTED' in line for line in place.lines())
        gone = answer in ((scenario.default,) + ((scenario.gone,) if error in GONE else ()))
        good = (answer in (bare, right) or gone) and after in (None, right) and took < LIMIT
        tried += 1
        verdicts['lost' if not good else 'not reached' if not reached else 'right' if answer == right
                 else 'bare' if answer == bare else 'gone'] += 1
        if not good:
            print('# %s: %s of call %s: %s: %s, then %s, after %.1f s'
                  % (name, error, when, point[2][:160], answer, after, took))
    place.put_back()
    tap.check(not verdicts['lost'], name + ': the program gets one of both, whatever fails')
    tap.check(verdicts['not reached'] <= 3 + tried // 10, name + ': what was recorded is reached again')
    print('#| %-14s %4d points, %5d faults: %s' % (
        name, len(found), tried, ', '.join('%d %s' % (n, verdict) for verdict, n in sorted(verdicts.items()))))


if __name__ == '__main__':
    sys.exit(run_all_traced(walk))
