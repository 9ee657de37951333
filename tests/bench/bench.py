#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""What the shim costs, as Markdown. scripts/bench says how to run it.

    bench.py [ROUNDS] [aims | answerer | times | paths | ranks | cold]
"""
import os
import shutil
import statistics
import sys

import counts
import machines
import measure
from measure import program

ROUNDS = next((int(word) for word in sys.argv[1:] if word.isdigit()), 21)
KINDS = ['bare', 'empty', 'cuarbiter', 'hook', 'search', 'libfaketime']
HEADS = {'bare': 'bare', 'empty': 'empty preload', 'cuarbiter': '**cuarbiter**',
         'hook': 'dlsym hook', 'search': 'LD_AUDIT search', 'libfaketime': 'libfaketime'}
measure.hide_nodes()
files = measure.preloads()
places = [files, measure.preloads('padded')]
kinds = [kind for kind in KINDS if kind == 'bare' or kind in files]
rows = []
targets = []


def target(what, value, limit, text, least=False):
    good = value >= limit if least else value <= limit
    targets.append((what, text % value, 'yes' if good else '**no**'))


def row(what, values, form='%.0f'):
    rows.append((what, [form % values[kind] if values.get(kind) is not None else '-'
                        for kind in kinds]))
    return values


def added(values, kind):
    return values[kind] - values['bare']


def empty_process():
    true = shutil.which('true')
    envs = {kind: measure.variant(kind, files) for kind in kinds}
    seen = row('`/bin/true`, instructions',
               {kind: measure.instructions([true], env) for kind, env in envs.items()})
    target('what it adds to `/bin/true`: at most 1.25 times an empty preload, instructions',
           added(seen, 'cuarbiter') / added(seen, 'empty'), 1.25, '%.2f times')


def calls(what, make_argv, gated=True, **more):
    """The loader's instructions differ with where names lie in memory, by some hundred: what is held
    to the target is the shim's own."""
    row(what + ', instructions a call',
        {kind: measure.per_call(
            make_argv, [measure.variant(kind, where, **more) for where in places])
         for kind in kinds})
    if gated:
        own = measure.per_call(make_argv, [measure.variant('cuarbiter', files, **more)],
                               count=measure.own_instructions)
        target(what + ': at most 200 instructions of cuarbiter', own, 200, '%.0f')


def dlopen_calls(machine):
    again, each = program('again'), program('each')
    new = machines.libraries(program('plugin') + '.so', 200)
    if not measure.nvidia_here():
        calls('dlopen, loaded, no NVIDIA', lambda n: [again, str(n), 'libm.so.6'])
        calls('dlopen + dlclose, new, no NVIDIA', lambda n: [each, new, str(n), 'close'])
    calls('dlopen, loaded, NVIDIA', lambda n: [again, str(n), 'libm.so.6'], **machine)
    calls('dlopen + dlclose, new, by path, NVIDIA', lambda n: [each, new, str(n), 'close'], gated=False, **machine)


def counted(places, names):
    """One table a place: what each way adds to a bare process."""
    for name, place in places.items():
        seen = {kind: counts.count(kind, place) for kind in names}
        times = measure.interleaved({kind: lambda kind=kind: counts.cpu(kind, place) for kind in names}, ROUNDS)
        lines = [[counts.HEADS[kind], *('%+d' % (a - b) for a, b in zip(seen[kind], seen['bare'], strict=True)),
                  '%.2f' % (times[kind] / times['bare'])] for kind in names if kind != 'bare']
        print('%s: a bare process, with nothing added, makes %d calls, %d look-ups and %d faults in %.1f ms\n' % (
            name, *seen['bare'][:3], times['bare'] / 1000))
        table(['more than bare', 'calls', 'look-ups', 'faults', 'bytes mapped', 'bytes kept', 'CPU, times bare'], lines)


def answerers(places):
    """What is asked of the kernel outside of the program."""
    table(['the answerer and its trials', 'calls', 'look-ups'],
          [[name.removeprefix(counts.FIRST), *('%d' % n for n in counts.answered(place)[:2])]
           for name, place in places.items() if name.startswith(counts.FIRST)])


def wall_times(places, names):
    """The least is what a machine without other work comes to."""
    for name in ('native alone', 'bundled, kept', 'bundled, redirected to native'):
        seen = {kind: [] for kind in names}
        for _ in range(ROUNDS):
            for kind, runs in seen.items():
                runs.append(counts.wall(kind, places[counts.FIRST + name]))
        bare = statistics.median(seen['bare']), min(seen['bare'])
        table(['from start to end, %d runs each: %s' % (ROUNDS, name), 'median, ms', 'more than bare', 'least, ms', 'more than bare'],
              [[counts.HEADS.get(kind, kind), '%.2f' % statistics.median(runs), '%+.2f' % (statistics.median(runs) - bare[0]),
                '%.2f' % min(runs), '%+.2f' % (min(runs) - bare[1])] for kind, runs in seen.items()])
    print('Load: %.1f processes on %d processors.\n' % (os.getloadavg()[0], os.cpu_count()))


def many_ranks(places, names):
    """64 processes on a slow file system, each as the first of its node."""
    for name in ('native alone', 'bundled, redirected to native'):
        place = places[counts.FIRST + name]._replace(mark=False)
        seen = {kind: counts.ranks(kind, place) for kind in names}
        if not seen['bare']:
            print('not counted: many ranks (no FUSE here)\n', file=sys.stderr)
            return
        table(['64 processes, 1 ms a look-up: ' + name, 'look-ups a process', 'seconds', 'times bare'],
              [[counts.HEADS.get(kind, kind), '%.0f' % (found / 64), '%.1f' % seconds,
                '%.2f' % (seconds / seen['bare'][1])]
               for kind, (found, seconds) in seen.items()])


def cold_starts(places, names):
    """Medians. What is written is not dropped: first it has to be on the disk."""
    os.sync()
    for name in ('native alone', 'bundled, redirected to native'):
        place = places[counts.FIRST + name]
        seen = {kind: [] for kind in names}
        for _ in range(ROUNDS + 1):
            for kind, runs in seen.items():
                runs.append(counts.cold(kind, place))
        table(['no file in the page cache: ' + name, 'ms', 'KiB read', 'major faults'],
              [[counts.HEADS.get(kind, kind), *('%.1f' % statistics.median(each) for each in zip(*runs[1:], strict=True))]
               for kind, runs in seen.items()])


def aims(places):
    """What is aimed at, against what an empty preload adds."""
    rows = [(what, word, '%.1f' % value, '', '') if aim is None else
            (what, word, '%.1f' % value, '%d' % aim, 'yes' if round(value, 1) <= aim else '**no**')
            for what, word, value, aim, _ in counts.aims(places)]
    table(['more than an empty preload', 'of', 'counted', 'aim', 'met'], rows)
    return not any(row[-1] == '**no**' for row in rows)


def table(heads, lines):
    print('| ' + ' | '.join(heads) + ' |')
    print('| --- |' + ' ---: |' * (len(heads) - 1))
    for line in lines:
        print('| ' + ' | '.join(line) + ' |')
    print()


def main():
    names = counts.make_preloads()
    places = counts.places()
    if 'paths' in sys.argv[1:]:
        for name, place in places.items():
            print('%s:\n' % name)
            print(''.join('    %s %s\n' % line for line in counts.paths(place)))
        return 0
    if 'answerer' in sys.argv[1:]:
        answerers(places)
        return 0
    if 'times' in sys.argv[1:]:
        wall_times(places, names)
        return 0
    if 'ranks' in sys.argv[1:]:
        many_ranks(places, names)
        return 0
    if 'cold' in sys.argv[1:]:
        cold_starts(places, names)
        return 0
    machine = machines.two_candidates(name='one')
    met = aims(places)
    if 'aims' in sys.argv[1:]:
        return 0 if met else 1
    python = counts.python_place(machine)
    if python:
        places['python3 importing all its extension modules'] = python
    answerers(places)
    counted(places, names)
    many_ranks(places, names)
    empty_process()
    dlopen_calls(machine)
    table([''] + [HEADS[kind] for kind in kinds], [[what, *cells] for what, cells in rows])
    table(['what was wanted', 'measured', 'met'], targets)
    return 0 if met and not any(met == '**no**' for _, _, met in targets) else 1


sys.exit(main())
