#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""What the shim costs, as Markdown. scripts/bench says how to run it.

    bench.py [ROUNDS] [growth]
"""
import os
import shutil
import subprocess
import sys

import machines
import measure
from measure import program

ROUNDS = next((int(word) for word in sys.argv[1:] if word.isdigit()), 51)
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
    seen = row('`/bin/true`, CPU, µs', measure.interleaved(
        {kind: lambda env=env: measure.process_cpu([true], env) for kind, env in envs.items()},
        ROUNDS * 10))
    targets.append(('the same in CPU time (not gated: it is noise at this size)', '%.2f times' % (
        added(seen, 'cuarbiter') / added(seen, 'empty')), ''))


def calls(what, make_argv, gated=True, **more):
    """The loader's instructions differ with where names lie in memory, by some hundred: what is held
    to the target is the shim's and the engine's own."""
    row(what + ', instructions a call',
        {kind: measure.per_call(
            make_argv, [measure.variant(kind, where, **more) for where in places])
         for kind in kinds})
    if gated:
        own = measure.per_call(make_argv, [measure.variant('cuarbiter', files, **more)],
                               count=measure.own_instructions)
        target(what + ': at most 200 instructions of cuarbiter', own, 200, '%.0f')


def times(what, argv, count=1, **more):
    """Of what a program says it took."""
    return row(what, measure.interleaved(
        {kind: lambda kind=kind: measure.printed(argv, measure.variant(kind, files, **more))[0]
         / count for kind in kinds}, ROUNDS), '%.1f')


def new_libraries(what, argv, count, machine):
    seen = times('dlopen, new, %s, NVIDIA, CPU µs a call' % what, argv, count, **machine)
    target('dlopen of a new library %s, NVIDIA: at most 15 %% more CPU time' % what,
           100 * added(seen, 'cuarbiter') / seen['bare'], 15, '%.1f %%')


def dlopen_calls(machine):
    again, each = program('again'), program('each')
    many = 200
    new = machines.libraries(program('plugin') + '.so', many)
    if not measure.nvidia_here():
        calls('dlopen, loaded, no NVIDIA', lambda n: [again, str(n), 'libm.so.6'])
        calls('dlopen + dlclose, new, no NVIDIA', lambda n: [each, new, str(n), 'close'])
    calls('dlopen, loaded, NVIDIA', lambda n: [again, str(n), 'libm.so.6'], **machine)
    calls('dlopen + dlclose, new, by path, NVIDIA', lambda n: [each, new, str(n), 'close'], gated=False, **machine)
    folder, name = os.path.split(new)
    new_libraries('by path', [each, new, str(many)], many - 1, machine)
    new_libraries('by name', [each, name, str(many)], many - 1,
                  {**machine, 'LD_LIBRARY_PATH': folder})
    with machines.cached(folder) as cached:
        if cached:
            new_libraries('by name, from ld.so.cache', [each, name, str(many)], many - 1, machine)


def python_modules(machine):
    code = ('import importlib, os, sysconfig\n'
            'folder = sysconfig.get_path("platstdlib") + "/lib-dynload"\n'
            'for name in sorted(os.listdir(folder)):\n'
            '    importlib.import_module(name.split(".")[0])')
    python = shutil.which('python3', path='/usr/bin:/bin') or sys.executable
    argv = [python, '-S', '-c', code]
    if subprocess.run(argv, stderr=subprocess.DEVNULL, check=False).returncode:
        return
    seen = row('python3, all its extension modules, NVIDIA, CPU µs', measure.interleaved(
        {kind: lambda kind=kind: measure.process_cpu(
            argv, measure.variant(kind, files, **machine)) for kind in kinds}, ROUNDS // 2 + 1))
    targets.append(('all of python3\'s extension modules, the whole process', '%.1f %% more' % (
        100 * added(seen, 'cuarbiter') / seen['bare']), ''))


def first_dlopen(machine):
    """CPU us until the next dlopen is called."""
    env = measure.environment(files['cuarbiter'] + ':' + program('mark') + '.so', **machine)
    return lambda: measure.printed([program('first'), 'libcuda.so.1'], env)[0]


def in_container():
    """What the programs of a root folder are, as files to copy into it."""
    folder = os.path.dirname(files['cuarbiter'])
    return [*(os.path.join(folder, name) for name in os.listdir(folder)), program('mark') + '.so',
            program('first')]


def first_in(root, library_path, *preload):
    """CPU us of the first dlopen, in a root folder, where nothing is read by CUARBITER_SYSROOT."""
    more = {'LD_LIBRARY_PATH': library_path} if library_path else {}
    env = measure.environment(':'.join(['/bench/libcuarbiter.so', '/bench/bench-mark.so', *preload]),
                              **more)
    return lambda: measure.printed(['/bench/bench-first', 'libcuda.so.1'], env, root)[0]


def cu_init(version):
    env = measure.environment(os.path.join(measure.FIXTURES, 'libstandin.so'), STANDIN_KMD=version,
                              LD_LIBRARY_PATH=machines.real(version))
    return lambda: measure.process_cpu([program('first'), 'libcuda.so.1'], env)


def first_libcuda():
    runs = {'two candidates, 16 GPUs, by CUARBITER_SYSROOT':
            first_dlopen(machines.two_candidates(16, 'gpus'))}
    for name, place in machines.containers(in_container()).items():
        runs[name] = first_in(*place)
    if machines.real(machines.HOST):
        runs['a process that calls cuInit'] = cu_init(machines.HOST)
    seen = measure.interleaved(runs, ROUNDS)
    init = seen.get('a process that calls cuInit')
    for name, times in (('native alone', 25), ('native and a bundled one', 12),
                        ('native, without a version in its name', 12)):
        if init and name in seen:
            target('first dlopen of libcuda, %s: at least %d times cheaper than a process that '
                   'calls cuInit' % (name, times), init / seen[name], times, '%.1f times', least=True)
    for name, limit in (('two candidates, 16 GPUs, by CUARBITER_SYSROOT', 3),
                        ('native, LD_LIBRARY_PATH of 100 folders', 1),
                        ('64 drivers, all judged', 1.5)):
        if name in seen:
            target('first dlopen of libcuda, %s: at most %s ms' % (name, limit),
                   seen[name] / 1000, limit, '%.2f ms')
    return seen


def growth():
    """The first dlopen of libcuda against what there is more of."""
    own = in_container()
    plugins = machines.libraries(program('plugin') + '.so', 300, 'grow')
    libraries = [plugins.replace('%', '%04d' % i) for i in range(300)]
    place = machines.with_folders(own + libraries, 0)
    runs = {}
    for count in 2, 8, 32, 64:
        runs['drivers that are judged', count] = machines.judged(own, count)
    for count in 0, 10, 30, 100:
        runs['folders of LD_LIBRARY_PATH', count] = (
            machines.with_folders(own, count) if count else place)
    for count in 0, 30, 100, 300:
        runs['libraries that are mapped', count] = (
            *place, *('/bench/' + os.path.basename(path) for path in libraries[:count]))
    seen = measure.interleaved({what: first_in(*how) for what, how in runs.items() if how[0]}, ROUNDS)
    for kind in dict.fromkeys(what for what, _ in seen):
        cells = [(count, cost) for (what, count), cost in seen.items() if what == kind]
        table([kind, *(str(count) for count, _ in cells)],
              [['CPU, µs', *('%.0f' % cost for _, cost in cells)]])


def table(heads, lines):
    print('| ' + ' | '.join(heads) + ' |')
    print('| --- |' + ' ---: |' * (len(heads) - 1))
    for line in lines:
        print('| ' + ' | '.join(line) + ' |')
    print()


def main():
    if 'growth' in sys.argv[1:]:
        growth()
        return 0
    machine = machines.two_candidates(name='one')
    empty_process()
    dlopen_calls(machine)
    python_modules(machine)
    first = first_libcuda()
    table([''] + [HEADS[kind] for kind in kinds], [[what, *cells] for what, cells in rows])
    table(['first dlopen of libcuda until the next dlopen is called', 'CPU, µs'],
          [[name, '%.0f' % value] for name, value in first.items()])
    table(['what was wanted', 'measured', 'met'], targets)
    return 1 if any(met == '**no**' for _, _, met in targets) else 0


sys.exit(main())
