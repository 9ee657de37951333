# SPDX-License-Identifier: Apache-2.0
"""Instructions by valgrind, CPU time by the kernel's account, and what to measure with."""
import atexit
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../fixtures'))
from built import BUILD, COMMAND, ANSWERER, FIXTURES, SHIM, TREE

CACHE = os.environ.get('CUARBITER_CACHE') or os.path.join(
    os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'cuarbiter')

tmp = tempfile.mkdtemp(prefix='cuarbiter-bench.')
atexit.register(shutil.rmtree, tmp, ignore_errors=True)


def program(name):
    return os.path.join(BUILD, 'tests/bench/bench-' + name)


def preloads(folder=''):
    """Folders of equal length and files of equal name: the length of a path is counted too. Where
    the loader puts the path in memory is chance, and a name that lies over the end of a page is
    compared byte by byte: per_call asks with folders of other lengths too."""
    found = {}
    if folder:
        os.mkdir(os.path.join(tmp, folder))
    for letter, name in (('c', 'cuarbiter'), ('e', 'empty'), ('h', 'hook'), ('a', 'search'),
                         ('f', 'libfaketime')):
        path = os.path.join(tmp, folder, letter, 'libcuarbiter.so')
        os.mkdir(os.path.dirname(path))
        if name == 'cuarbiter':
            for file in SHIM, ANSWERER, COMMAND:
                shutil.copy(file, os.path.dirname(path))
        elif name == 'libfaketime':
            real = '/usr/lib/%s-linux-gnu/faketime/libfaketime.so.1' % os.uname().machine
            if not os.path.exists(real):
                continue
            shutil.copy(real, path)
        else:
            shutil.copy(program(name) + '.so', path)
        found[name] = path
    return found


def environment(preload=None, audit=None, **more):
    """Nothing of the caller's but the locale, so that a figure does not hang on it."""
    env = {'PATH': '/usr/bin:/bin', 'LC_ALL': 'C'}
    if preload:
        env['LD_PRELOAD'] = preload
    if audit:
        env['LD_AUDIT'] = audit
    env.update(more)
    return env


def variant(name, files, **more):
    """The environment of a process with one of the preloads."""
    if name == 'bare':
        return environment(**more)
    if name == 'search':
        return environment(audit=files[name], **more)
    return environment(files[name], **more)


def instructions(argv, env):
    """All instructions of a process, the loader's among them; None where valgrind gives none."""
    run = subprocess.run(
        ['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', *argv], env=env,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    found = re.findall(r'Collected : (\d+)', run.stderr)  # its keeper says so too, and ends before it
    if run.returncode or not found:
        print(run.stderr, file=sys.stderr)
        return None
    return int(found[-1])


def own_instructions(argv, env):
    """Those that lie in the shim itself. How many the loader spends on one more
    library hangs on where its name lies in memory; these come out the same every time."""
    out = os.path.join(tmp, 'callgrind')
    subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=' + out, *argv],
                   env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    names, total, inside, skip = {}, 0, False, False
    with open(out, encoding='utf-8') as lines:
        for line in lines:
            match = re.match(r'ob=\((\d+)\)(?: (.*))?', line)
            if match:
                names.setdefault(match[1], match[2] or '')
                inside = os.path.basename(names[match[1]]).startswith('libcuarbiter')
                continue
            match = re.match(r'cob=\((\d+)\) (.*)', line)
            if match:
                names.setdefault(match[1], match[2])
            cost = re.match(r'[-+*\d]\S* (\d+)$', line)
            if cost and inside and not skip:
                total += int(cost[1])
            skip = line.startswith('calls=')
    return total


def per_call(make_argv, envs, few=20, many=120, count=instructions):
    """Instructions of one of the calls that a program makes as often as asked: the least that
    it took in one of the environments."""
    found = []
    for env in envs:
        less, more = count(make_argv(few), env), count(make_argv(many), env)
        if less is not None and more is not None:
            found.append((more - less) / (many - few))
    return min(found, default=None)


def alone():
    """Are this process's mounts its own?"""
    return bool(os.environ.get('CUARBITER_BENCH_ALONE'))


def hide_nodes():
    """Runs this script again where /dev has no NVIDIA's: tests that run a real driver as root make
    some and remove them. Without root it goes on as it is."""
    nodes = ('mount -t tmpfs -o mode=755 none /dev && for node in null:3 zero:5 full:7 random:8 '
             'urandom:9; do mknod -m 666 /dev/${node%:*} c 1 ${node#*:} || exit; done && '
             'mknod -m 600 /dev/fuse c 10 229 && '
             'ln -s /proc/self/fd /dev/fd && CUARBITER_BENCH_ALONE=1 exec "$@"')
    without = os.path.join(TREE, 'tests/fixtures/without-nodes')
    if alone() or os.geteuid():
        return
    if not subprocess.run(['unshare', '-m', 'true'], stderr=subprocess.DEVNULL,
                          check=False).returncode:
        shutil.rmtree(tmp)
        os.execvp('unshare', ['unshare', '-m', 'sh', '-c', nodes, 'sh', without,
                             *sys.argv])


def nvidia_here():
    return any(os.path.exists(path)
               for path in ('/proc/driver/nvidia', '/dev/nvidiactl', '/dev/dxg'))


def process_cpu(argv, env):
    """CPU time of one process from its exec on, in us."""
    null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    pid = os.posix_spawn(argv[0], argv, env, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
    os.close(null)
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise RuntimeError('%s: status %d' % (' '.join(argv), status))
    return (usage.ru_utime + usage.ru_stime) * 1e6


def interleaved(runs, rounds):
    """Medians; `runs` maps names to functions, run A B A B, so that what else the machine does
    falls on all alike. The first round warms up."""
    seen = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            value = run()
            if number:
                seen[name].append(value)
    return {name: statistics.median(values) for name, values in seen.items()}
