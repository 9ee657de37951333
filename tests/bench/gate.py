#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""What the shim may cost, in instructions, calls, look-ups and faults, which come out the same every
time. TAP."""
import os
import re
import shutil
import subprocess
import sys

import counts
import machines
import measure

MUST_RUN = os.environ.get('CUARBITER_MUST_RUN') == '1'
count = failed = 0


def check(good, name, why=''):
    global count, failed
    count += 1
    failed += not good
    print('%sok %d - %s' % ('' if good else 'not ', count, name))
    if why:
        print('#   ' + why)


def empty_process(files):
    true = shutil.which('true')
    cost = {name: measure.instructions([true], measure.variant(name, files))
            for name in ('bare', 'empty', 'cuarbiter')}
    empty, shim = cost['empty'] - cost['bare'], cost['cuarbiter'] - cost['bare']
    check(shim <= 1.25 * empty, 'a program that does nothing: at most 1.25 times an empty preload',
          '%d more instructions; an empty preload %d, %.2f times' % (shim, empty, shim / empty))


def per_call(name, files, make_argv, **more):
    cost = measure.per_call(make_argv, [measure.variant('cuarbiter', files, **more)],
                            count=measure.own_instructions)
    # ld.so is asked whether it has the file loaded, which costs less than a look-up of the path.
    check(cost <= 210, name + ': at most 210 instructions of the shim', '%.1f' % cost)


def skip(name, why):
    global count
    count += 1
    print('ok %d - %s # SKIP %s' % (count, name, why))


def dlopen_calls(files, machine):
    states = [('NVIDIA', machine)]
    if measure.nvidia_here():
        skip('dlopen without NVIDIA', 'there is NVIDIA here')
    else:
        states.append(('no NVIDIA', {}))
    again = measure.program('again')
    path = os.path.realpath(subprocess.run(
        ['sh', '-c', 'ldd %s | sed -n "s/.*libc.so.6 => \\([^ ]*\\).*/\\1/p"' % again],
        stdout=subprocess.PIPE, text=True, check=True).stdout.strip())
    for name, what in (('libm.so.6', 'by name'), (os.path.dirname(path) + '/libm.so.6', 'by path')):
        for where, more in states:
            per_call('dlopen of a loaded library %s, %s' % (what, where), files,
                     lambda n, name=name: [again, str(n), name], **more)
    if len(states) > 1:
        new = machines.libraries(measure.program('plugin') + '.so', 120)
        per_call('dlopen of a new library and dlclose, no NVIDIA', files,
                 lambda n: [measure.program('each'), new, str(n), 'close'])


def new_by_name(files, machine):
    """Where it lies is ld.so's to search and ours to search before, at no more than the cost of the
    look into it."""
    new = machines.libraries(measure.program('plugin') + '.so', 120, 'named')
    more = {**machine, 'LD_LIBRARY_PATH': os.path.dirname(new)}
    cost = {}
    for name in (new, os.path.basename(new)):
        cost[name] = measure.per_call(
            lambda n, name=name: [measure.program('each'), name, str(n)],
            [measure.variant('cuarbiter', files, **more)], count=measure.own_instructions)
    path, name = cost.values()
    check(name <= 2 * path, 'dlopen of a new library by name: at most twice the instructions of '
          'one by path', '%.0f, by path %.0f' % (name, path))


def new_from_cache(files, machine):
    """Mapping the cache for each name would cost half as much as the dlopen."""
    name = 'the shim maps ld.so.cache once'
    if not shutil.which('strace'):
        skip(name, 'no strace here')
        return
    new = machines.libraries(measure.program('plugin') + '.so', 40, 'cached')
    opens = {}
    with machines.cached(os.path.dirname(new)) as cached:
        for kind in ('bare', 'cuarbiter') if cached else ():
            trace = os.path.join(measure.tmp, 'cached.' + kind)
            subprocess.run(['strace', '-o', trace, '-e', 'trace=openat', measure.program('each'),
                            os.path.basename(new), '40'], check=True, stdout=subprocess.DEVNULL,
                           env=measure.variant(kind, files, **machine))
            with open(trace, encoding='utf-8') as lines:
                opens[kind] = sum(machines.CACHE_FILE in line for line in lines)
    if not opens:
        skip(name, 'ld.so.cache cannot be another one here')
        return
    check(opens['bare'] >= 40 and opens['cuarbiter'] - opens['bare'] <= 2, name,
          '40 names: opened %d times, %d bare' % (opens['cuarbiter'], opens['bare']))


def many_needs(files, machine):
    new, outer = machines.needed(1000, 30)
    each, cost = measure.program('each'), {}
    for kind in ('bare', 'cuarbiter'):
        env = measure.variant(kind, files, **machine)
        less, more = (measure.instructions([each, new, '1000', *rest], env) for rest in ((), (outer,)))
        cost[kind] = more - less
    check(cost['cuarbiter'] <= 1.15 * cost['bare'],
          'a library with 30 needs, all mapped among 1000 others: at most 1.15 times bare',
          '%d, bare %d' % (cost['cuarbiter'], cost['bare']))


def first_by_name(files, machine):
    """Of a library that has nothing to do with libcuda: no answerer is needed to see that."""
    name = 'libneeded-0001.so'
    more = {**machine, 'LD_LIBRARY_PATH': os.path.join(measure.tmp, 'needed')}
    env = measure.variant('cuarbiter', files, **more)
    again = measure.program('again')
    beyond = (measure.instructions([again, '0', name], env) -
              measure.instructions([again, '0', name], measure.variant('bare', files, **more)) -
              measure.instructions([shutil.which('true')], env) +
              measure.instructions([shutil.which('true')], measure.variant('bare', files, **more)))
    check(beyond <= 20000, 'the first dlopen by name: at most 20000 instructions beyond bare',
          '%d' % beyond)


def driver_calls(files):
    """The program's libcuda is the right one, so that bare and shimmed load the same file."""
    root = machines.make_root('right', '--kmd', machines.HOST, '--host-umd', machines.HOST,
                              '--gpu', machines.GPU)
    lib = '/usr/lib/%s-linux-gnu' % os.uname().machine
    more = {'CUARBITER_SYSROOT': root, 'FAKE_ROOT': root,
            'LD_LIBRARY_PATH': root + lib + ':' + lib}
    calls = measure.program('calls')
    said, cost = {}, {}
    for kind in ('bare', 'cuarbiter'):
        env = measure.variant(kind, files, **more)
        said[kind] = subprocess.run([calls, '1', 'libcuda.so.1'], env=env, check=True,
                                    stdout=subprocess.PIPE, text=True).stdout
        said[kind] = re.sub(r' \S*/', ' ', said[kind])
        cost[kind] = measure.per_call(lambda n: [calls, str(n), 'libcuda.so.1'], [env], 100, 1100)
    check(said['bare'] == said['cuarbiter'] and 'cuInit ' in said['bare'],
          'the functions of the driver lie where they lay', said['cuarbiter'].replace('\n', '; '))
    check(round(cost['bare']) == round(cost['cuarbiter']), 'a driver call costs what it cost',
          '%.1f instructions bare, %.1f with the shim' % (cost['bare'], cost['cuarbiter']))


def more_than_an_empty_preload():
    """By counts, with fake drivers, at what holds today."""
    if not measure.alone() or not shutil.which('strace'):
        skip('calls, look-ups and faults', 'it takes root and strace')
        return
    counts.make_preloads()
    places = counts.places(8, 100, False)
    for what, most in counts.ANSWERED.items():
        look_ups = counts.answered(places[what]).look_ups
        check(look_ups <= most, '%s: at most %d look-ups of the answerer' % (what, most), '%d' % look_ups)
    for what, word, value, aim, today in counts.aims(places):
        check(round(value, 1) <= today, '%s: at most %d %s more than an empty preload' % (what, today, word),
              '%.1f%s' % (value, '' if aim is None else '; the aim is %d' % aim))


def main():
    if not shutil.which('valgrind'):
        print('1..0 # SKIP no valgrind here' if not MUST_RUN else 'not ok 1 - no valgrind\n1..1')
        return 1 if MUST_RUN else 77
    measure.hide_nodes()
    files = measure.preloads()
    empty_process(files)
    machine = machines.two_candidates()
    dlopen_calls(files, machine)
    new_by_name(files, machine)
    new_from_cache(files, machine)
    many_needs(files, machine)
    first_by_name(files, machine)
    driver_calls(files)
    more_than_an_empty_preload()
    print('1..%d' % count)
    return 1 if failed else 0


sys.exit(main())
