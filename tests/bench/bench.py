#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""What the shim costs, as Markdown. scripts/bench says how to run it.

    bench.py [ROUNDS]
"""
import os
import shutil
import subprocess
import sys

import machines
import measure
from measure import program

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 51
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


def first_in_container():
    """The same in a root file system of its own, without CUARBITER_SYSROOT; None: it cannot be."""
    own = [os.path.join(os.path.dirname(files['cuarbiter']), name)
           for name in os.listdir(os.path.dirname(files['cuarbiter']))]
    root = machines.container([*own, program('mark') + '.so', program('first')])
    if not root:
        return None
    env = measure.environment('/bench/libcuarbiter.so:/bench/bench-mark.so',
                              LD_LIBRARY_PATH=machines.COMPAT)
    return lambda: measure.printed(['/bench/bench-first', 'libcuda.so.1'], env, root)[0]


def cu_init(version):
    env = measure.environment(os.path.join(measure.FIXTURES, 'libstandin.so'), STANDIN_KMD=version,
                              LD_LIBRARY_PATH=machines.real(version))
    return lambda: measure.process_cpu([program('first'), 'libcuda.so.1'], env)


def first_libcuda():
    runs = {
        'two candidates, one GPU': first_dlopen(machines.two_candidates()),
        '64 candidates': first_dlopen(machines.many_candidates()),
        '16 GPUs': first_dlopen(machines.two_candidates(16, 'gpus')),
    }
    if machines.real(machines.HOST) and machines.real(machines.BUNDLED):
        runs['two candidates, real drivers'] = first_dlopen(machines.real_candidates())
        container = first_in_container()
        if container:
            runs['the same in a container'] = container
        runs['a process that calls cuInit'] = cu_init(machines.HOST)
    seen = measure.interleaved(runs, ROUNDS)
    for name in ('64 candidates', '16 GPUs'):
        target('first dlopen of libcuda, %s: at most 3 ms' % name, seen[name] / 1000, 3, '%.2f ms')
    init = seen.get('a process that calls cuInit')
    # A sysroot, which is there for tests, is walked step by step, and the real machine is searched
    # beside it: the container is what users have.
    for name in ('the same in a container', 'two candidates, real drivers'):
        if init and name in seen:
            target('first dlopen of libcuda, %s: at least ten times cheaper than a process that '
                   'calls cuInit' % name, init / seen[name], 10, '%.1f times', least=True)
            break
    return seen


def table(heads, lines):
    print('| ' + ' | '.join(heads) + ' |')
    print('| --- |' + ' ---: |' * (len(heads) - 1))
    for line in lines:
        print('| ' + ' | '.join(line) + ' |')
    print()


def main():
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
