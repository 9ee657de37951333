#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""resources.py SCENARIO...: the requests with little of something: descriptors, memory, processes,
stack, file size, room on a disk. In namespaces of its own. TAP, and rows of the table.

The program ends with the answer that it gets bare or with the right one, or as it ends bare with as
little; and the next one, which has enough, gets the right one."""
import collections
import os
import resource
import shutil
import subprocess
import sys

from scenario import ALL, BUILD, TREE, Scenario, Tap, apart, private_folder

PAGE = 4096
# What the shim takes of what a program needs for its own libraries; of the stack a page, and
# where that begins is chance.
MARGIN = {'AS': 256 * PAGE, 'DATA': 128 * PAGE, 'STACK': 2 * PAGE}
# A user that runs nothing else.
USER = 54321
LIMITS = {
    'NOFILE': range(3, 24),
    'FSIZE': [0, 1, 100, 500, 1000, 4096, 16384, 65536],
    'STACK': list(range(3 * PAGE, 24 * PAGE, PAGE)) + [128 << 10, 256 << 10, 1 << 20],
    'NPROC': range(8),
    'AS': range(32 * PAGE, 8192 * PAGE, 32 * PAGE),
    'DATA': [*range(8 * PAGE, 512 * PAGE, 8 * PAGE), 1024 * PAGE, 4096 * PAGE, 16384 * PAGE],
}
# Options of a tmpfs, which holds what is kept. The root of it is an inode, too.
ROOMS = ['ro', 'size=64k'] + ['size=%d' % (PAGE * n) for n in range(1, 9)] + [
    'nr_inodes=%d' % n for n in range(1, 9)]


def little_of(name, value):
    def limit():
        kind = getattr(resource, 'RLIMIT_' + name)
        resource.setrlimit(kind, (value, resource.getrlimit(kind)[1]))
        if name == 'NPROC':
            os.setgroups([])
            os.setgid(USER)
            os.setuid(USER)

    return limit


class Walk:
    def __init__(self, name, folder, tap):
        self.scenario, self.tap = Scenario(name, folder), tap
        self.bare = self.scenario.answer(self.scenario.bare_env)
        self.right = self.scenario.answer(self.scenario.env(0))
        os.chmod(folder, 0o755)

    def try_limit(self, name, value):
        """What becomes of it, and whether the program has enough bare."""
        shutil.rmtree(self.scenario.run_folder(0))
        os.chown(self.scenario.run_folder(0), *([USER if name == 'NPROC' else 0] * 2))
        alone = self.scenario.answer(self.scenario.bare_env, little_of(name, value))
        got = self.scenario.answer(self.scenario.env(0), little_of(name, value))
        return self.verdict(got, alone), alone == self.bare, got

    def verdict(self, got, alone):
        return ('right' if got == self.right else 'bare' if got == self.bare else
                'as little' if got == alone else 'lost')

    def limits(self, name, values):
        verdicts, first = collections.Counter(), None
        done = [(value, *self.try_limit(name, value)) for value in values]
        first = min((value for value, _, enough, _ in done if enough), default=0)
        # Page by page where it begins to be enough.
        if name in ('AS', 'DATA'):
            done += [(value, *self.try_limit(name, value))
                     for value in range(max(first - 32 * PAGE, 0), first + 2 * MARGIN[name], PAGE)]
            first = min((value for value, _, enough, _ in done if enough), default=0)
        for value, verdict, _, got in done:
            if verdict == 'lost' and value < first + MARGIN.get(name, 0) and \
                    (name == 'STACK' or got[0].startswith('exit')):
                verdict = 'close'
            verdicts[verdict] += 1
            if verdict == 'lost':
                print('# %s, %s %d, enough is %d: %s' % (self.scenario.name, name, value, first, got))
        self.tell(name, len(done), verdicts)

    def rooms(self):
        verdicts = collections.Counter()
        run = self.scenario.run_folder(0)
        for options in ROOMS:
            shutil.rmtree(run)
            os.mkdir(run, 0o700)
            subprocess.check_call(['mount', '-t', 'tmpfs', '-o', 'mode=700,' + options, 'none', run])
            got = self.scenario.answer(self.scenario.env(0))
            verdict = self.verdict(got, self.bare)
            left = [name for _, _, names in os.walk(run) for name in names]
            if options != 'ro':
                subprocess.check_call(['mount', '-o', 'remount,size=1m,nr_inodes=100', run])
                after = self.scenario.answer(self.scenario.env(0))
                verdict = verdict if after == self.right else 'lost'
            subprocess.check_call(['umount', run])
            half = [name for name in left if name.rpartition('.')[2].isdigit()]
            if verdict == 'lost' or half:
                verdict = 'lost'
                print('# %s, %s: %s, left %s' % (self.scenario.name, options, got, left))
            verdicts[verdict] += 1
        self.tell('room', len(ROOMS), verdicts)

    def tell(self, name, count, verdicts):
        self.tap.check(not verdicts['lost'], '%s: little %s' % (self.scenario.name, name))
        self.tap.check(verdicts['right'], '%s: enough %s' % (self.scenario.name, name))
        print('#| %-12s %-8s %4d faults: %s' % (
            self.scenario.name, name, count,
            ', '.join('%d %s' % (n, verdict) for verdict, n in sorted(verdicts.items()))))


def main():
    tap = Tap()
    if any(os.path.realpath(folder).startswith('/tmp/') for folder in (TREE, BUILD)):
        print('1..0 # SKIP sources or build lie below /tmp, which is covered here')
        return 0
    if not apart('all', ALL):
        print('1..0 # SKIP no namespaces here')
        return 0
    for name in sys.argv[1:]:
        with private_folder() as folder:
            walk = Walk(name, folder, tap)
            for limit, values in LIMITS.items():
                walk.limits(limit, values)
            walk.rooms()
    print('1..%d' % tap.count)
    return 1 if tap.failed else 0


sys.exit(main())
