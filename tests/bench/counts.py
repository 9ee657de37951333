# SPDX-License-Identifier: Apache-2.0
"""What a process asks of the kernel: calls, look-ups of paths, minor faults, memory. They come out the
same on a busy machine, where times do not."""
import collections
import glob
import os
import re
import shutil
import statistics
import subprocess
import time

import machines
import measure
from measure import program

KINDS = ('bare', 'empty', 'cuarbiter', 'search', 'libfaketime', 'jemalloc', 'entry')
HEADS = {'empty': 'empty preload', 'cuarbiter': '**cuarbiter**', 'search': 'LD_AUDIT search',
         'libfaketime': 'libfaketime', 'jemalloc': 'jemalloc', 'entry': 'entry point that tries cuInit'}
LOOK_UPS = re.compile(
    r'(?:open|openat|openat2|creat|l?stat|newfstatat|statx|access|faccessat2?|readlink|readlinkat|'
    r'execve|statfs|mkdir|mkdirat|unlink|unlinkat|rename|renameat2?)\((?:(?:AT_FDCWD)?(?:<([^>]*)>)?'
    r'(?:\d+<([^>]*)>)?, )?"((?:[^"\\]|\\.)*)"')
MARKS = 'clock_gettime(CLOCK_PROCESS_CPUTIME_ID'  # mark.c's: it lies behind the shim's dlopen too
ELSEWHERE = ('/proc', '/sys', '/dev')
Counts = collections.namedtuple('Counts', 'calls look_ups faults mapped kept')
Place = collections.namedtuple('Place', 'root path argv mark', defaults=(True,))


def looked_up(line):
    """The path that a call looks up off /proc, /sys and /dev; None: none."""
    match = LOOK_UPS.match(line)
    if not match or not match[3]:
        return None
    path = os.path.join(match[2] or '', match[3])
    return None if path.startswith(ELSEWHERE) else path


def memory(lines):
    """Bytes mapped, and those that are still mapped at the end, after the last exec."""
    mapped, gone, ends = 0, 0, []
    for line in lines:
        if line.startswith('execve(') and line.endswith('= 0'):
            mapped, gone, ends = 0, 0, []
        new = re.match(r'mmap\([^,]+, (\d+), [^,]+, ([^,]+),.*= 0x', line)
        if new and 'MAP_FIXED' not in new[2]:
            mapped += int(new[1])
        old = re.match(r'munmap\([^,]+, (\d+)\)\s+= 0', line)
        gone += int(old[1]) if old else 0
        moved = re.match(r'mremap\([^,]+, (\d+), (\d+),.*= 0x', line)
        mapped += int(moved[2]) - int(moved[1]) if moved else 0
        end = re.match(r'brk\(.*= (0x\w+)', line)
        ends += [int(end[1], 16)] if end else []
    grown = max(ends, default=0) - min(ends, default=0)
    return mapped + grown, mapped + grown - gone


def command(kind, place):
    """What runs the program of a place with one of the preloads, and in which environment."""
    files = preloads('' if place.root == '/' else '/bench')
    env = {'PATH': '/usr/bin:/bin', 'LC_ALL': 'C', **place.path}
    loads = [files[kind]] if kind not in ('bare', 'search', 'entry') else []
    loads += [os.path.join('/bench', 'bench-mark.so')] if place.mark else []
    if loads:
        env['LD_PRELOAD'] = ':'.join(loads)
    if kind == 'search':
        env['LD_AUDIT'] = files[kind]
    words = ['%s=%s' % pair for pair in env.items()]
    return ([program('enter'), place.root, *(['--try'] if kind == 'entry' else []), *words, '--',
             *place.argv], {'PATH': env['PATH'], 'LC_ALL': 'C', **place.path})


def trace(kind, place):
    """The lines of strace from the change of the root on: those of the process, those of its children."""
    out = os.path.join(measure.tmp, 'trace')
    argv, env = command(kind, place)
    subprocess.run(['strace', '-ff', '-y', '-o', out, *argv], env=env, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    own, others = [], []
    for path in glob.glob(out + '.*'):
        with open(path, encoding='utf-8', errors='replace') as file:
            lines = [line.rstrip().replace('<%s/' % place.root, '</') for line in file
                     if '(' in line and not line.startswith(('---', '+++', MARKS))]
        os.unlink(path)
        at = next((i for i, line in enumerate(lines) if line.startswith('chroot(')), None)
        if at is None:
            others += lines
        else:
            own = lines[at + 1:]
    return own, others


def faults(kind, place):
    argv, env = command(kind, place)
    null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    pid = os.posix_spawn(argv[0], argv, env, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
    os.close(null)
    return os.wait4(pid, 0)[2].ru_minflt


def cpu(kind, place):
    argv, env = command(kind, place)
    return measure.process_cpu(argv, env)


def answered(place):
    """Calls and look-ups of the answerer and the trials that it starts: what nobody sees who traces the
    program. strace runs it, from within the root."""
    own = place.root + '/bench/c/'
    tools = [shutil.which('strace')]
    needed = subprocess.run(['ldd', *tools], stdout=subprocess.PIPE, text=True, check=True).stdout
    for path in tools + re.findall(r'(/\S+) \(0x', needed):
        at = place.root + ('/bench/strace' if path in tools else path)
        if not os.path.exists(at):
            os.makedirs(os.path.dirname(at), exist_ok=True)
            shutil.copy(path, at)
    os.rename(own + 'cuarbiter-answer', own + 'untraced')
    shutil.copy(program('traced'), own + 'cuarbiter-answer')
    argv, env = command('cuarbiter', place)
    subprocess.run(argv, env=env, stdout=subprocess.DEVNULL, check=True)
    os.rename(own + 'untraced', own + 'cuarbiter-answer')
    with open(place.root + '/bench/answered', encoding='utf-8', errors='replace') as file:
        lines = [line.split(None, 1)[1].rstrip() for line in file]
    os.unlink(place.root + '/bench/answered')
    return size([line for line in lines if '(' in line and not line.startswith(('---', '+++', '<...'))])


def wall(kind, place):
    """Milliseconds from start to end."""
    argv, env = command(kind, place._replace(mark=False))
    start = time.monotonic()
    measure.process_cpu(argv, env)
    return (time.monotonic() - start) * 1000


def size(lines):
    """Of a part of a trace: calls and look-ups, and nothing else."""
    return Counts(len(lines), sum(bool(looked_up(line)) for line in lines), 0, 0, 0)


def count(kind, place):
    own, others = trace(kind, place)
    return size(own + others)._replace(
        faults=statistics.median(faults(kind, place) for _ in range(15)),
        **dict(zip(('mapped', 'kept'), memory(own), strict=True)))


def more(place, kind='cuarbiter', than='empty'):
    """What one preload adds to what another takes."""
    return Counts(*(a - b for a, b in zip(count(kind, place), count(than, place), strict=True)))


def paths(place):
    """What cuarbiter looks up there and an empty preload does not, in order."""
    bare = collections.Counter(looked_up(line) for line in sum(trace('empty', place), []))
    for line in sum(trace('cuarbiter', place), []):
        path = looked_up(line)
        if path and bare[path]:
            bare[path] -= 1
        elif path and '/bench/' not in path:
            yield line.split('(')[0], path


def preloads(top):
    """KIND: its file, below `top`, in folders and under names of equal length."""
    return {kind: '%s/%s/libcuarbiter.so' % (top or measure.tmp + '/counted', letter)
            for kind, letter in (('cuarbiter', 'c'), ('empty', 'e'), ('search', 'a'),
                                 ('libfaketime', 'f'), ('jemalloc', 'j'))}


def make_preloads():
    """Stripped, as they are installed. Those that this machine has not are left out."""
    found = ['bare', 'entry']
    for kind, path in preloads('').items():
        lib = '/usr/lib/%s-linux-gnu/' % os.uname().machine
        sources = {'cuarbiter': [measure.SHIM, measure.ANSWERER, measure.COMMAND],
                   'libfaketime': [lib + 'faketime/libfaketime.so.1'],
                   'jemalloc': [lib + 'libjemalloc.so.2']}.get(kind, [program(kind) + '.so'])
        if not all(map(os.path.exists, sources)):
            continue
        found.append(kind)
        os.makedirs(os.path.dirname(path))
        for source in sources:
            name = os.path.basename(source if kind == 'cuarbiter' else path)
            subprocess.run(['strip', '-o', os.path.join(os.path.dirname(path), name), source], check=True)
    return [kind for kind in KINDS if kind in found]


def files_of():
    top = os.path.join(measure.tmp, 'counted')
    return [os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names] + [
        program('mark') + '.so', program('first'), program('each')]


def new_libraries(root, many):
    os.makedirs(root + '/bench/new')
    for i in range(many):
        shutil.copy(program('plugin') + '.so', '%s/bench/new/libplugin-%04d.so' % (root, i))
    return ['/bench/bench-each', '/bench/new/libplugin-%.so', str(many)]


def places(judged=64, many=500, real=True):
    """NAME: a machine and a program on it; {} where root folders cannot be made. `real`: with real
    drivers where they are."""
    made = machines.containers(files_of(), judged, real)
    found = {'first dlopen of libcuda, ' + name:
             Place(root, {'LD_LIBRARY_PATH': path} if path else {}, ['/bench/bench-first', 'libcuda.so.1'])
             for name, (root, path) in made.items()}
    if found:
        root = made['native alone'][0]
        found = {'no CUDA': Place('/', {}, [shutil.which('true')], False), **found}
        argv = new_libraries(root, many)
        found['%d new libraries, before libcuda' % many] = Place(root, {}, argv, False)
        found['%d new libraries, after libcuda' % many] = Place(root, {}, argv + ['after', 'libcuda.so.1'], False)
    return found


def python_place(machine):
    """python3 importing all its extension modules; None without it."""
    code = ('import importlib, os, sysconfig\n'
            'folder = sysconfig.get_path("platstdlib") + "/lib-dynload"\n'
            'for name in sorted(os.listdir(folder)):\n'
            '    importlib.import_module(name.split(".")[0])')
    argv = [shutil.which('python3', path='/usr/bin:/bin') or '', '-S', '-c', code]
    if not argv[0] or subprocess.run(argv, stderr=subprocess.DEVNULL, check=False).returncode:
        return None
    return Place('/', machine, argv, False)


def ranks(kind, place, many=64, delay=1000):
    """(look-ups, seconds) of so many processes that start together in a root on a file system where each
    look-up takes so many microseconds; None without FUSE."""
    if not os.path.exists(program('slow')) or not os.path.exists('/sys/module/fuse'):
        return None
    mount = os.path.join(measure.tmp, 'slow')
    os.makedirs(mount, exist_ok=True)
    server = subprocess.Popen([program('slow'), place.root, mount, str(delay)],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for _ in range(200):
        if os.path.ismount(mount):
            break
        time.sleep(0.05)
    subprocess.run(['mount', '--rbind', place.root + '/proc', mount + '/proc'], check=True)
    argv, env = command(kind, place._replace(root=mount))
    start = time.monotonic()
    running = [subprocess.Popen(argv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
               for _ in range(many)]
    for process in running:
        process.wait()
    seconds = time.monotonic() - start
    subprocess.run(['umount', '-R', mount], check=True)
    return int(server.communicate()[0]), seconds


def cold(kind, place):
    """Milliseconds from start to end of a process none of whose files are in the page cache, KiB that it
    reads from the disk, and its major faults."""
    for folder, below, names in os.walk(place.root):
        below[:] = [name for name in below if name not in ('proc', 'driver')]
        for path in (os.path.join(folder, name) for name in names):
            if os.path.isfile(path) and not os.path.islink(path):
                file = os.open(path, os.O_RDONLY)
                os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(file)
    argv, env = command(kind, place._replace(mark=False))
    null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    start = time.monotonic()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
    usage = os.wait4(pid, 0)[2]
    os.close(null)
    return (time.monotonic() - start) * 1000, usage.ru_inblock / 2, usage.ru_majflt


FIRST = 'first dlopen of libcuda, '
# Calls, look-ups and faults more than an empty preload adds: what is aimed at, and what holds today with
# fake drivers, by which the test is a gate. None: not aimed at. Calls and look-ups are those of the
# program's own threads: nobody who traces the program sees the keeper and the answerer, so that no number
# of GPUs, candidates or folders changes them. Faults are those of the keeper and the answerer too.
AIMS = {
    'no CUDA': ((0, 0, 3), (0, 0, 3)),
    FIRST + 'native alone': ((34, 10, None), (20, 0, 70)),
    FIRST + 'bundled, redirected to native': ((34, 10, None), (21, 1, None)),
    'each further GPU': ((0, 0, None), (0, 0, None)),
    'each further candidate': ((0, 0, None), (0, 0, None)),
    FIRST + 'native, LD_LIBRARY_PATH of 100 folders': ((34, None, None), (21, None, None)),
    'a new library before libcuda': ((4, 1, None), (6, 1, None)),
    'a new library once libcuda is mapped': ((0, 0, None), (0, 0, None)),
}


# Look-ups of the answerer and its trials, as they hold today with fake drivers.
ANSWERED = {FIRST + 'native alone': 7, FIRST + 'bundled, redirected to native': 42}


def aims(places):
    """WHAT, WORD, how much more than an empty preload adds, what is aimed at, what holds."""
    seen = {name: more(place) for name, place in places.items()}

    def each(start, end, number):
        """What one of `number` adds, from one place to the other."""
        return [(after - before) / number for before, after in zip(seen.get(start, [0] * 5), seen[end], strict=True)]

    many = next(name for name in places if 'drivers, all judged' in name and FIRST + '2 ' not in name)
    judged = int(many.split()[-4]) - 2
    before, after = (next(name for name in places if word in name) for word in ('before libcuda', 'after libcuda'))
    found = {**seen, 'each further GPU': each(FIRST + 'native alone', FIRST + 'native, 8 GPUs', 7),
             'each further candidate': each(FIRST + '2 drivers, all judged', many, judged),
             'a new library before libcuda': each('', before, int(before.split()[0])),
             'a new library once libcuda is mapped': each(FIRST + 'native alone', after, int(after.split()[0]))}
    for what, (aim, holds) in AIMS.items():
        for word, value, most, today in zip(Counts._fields, found[what], aim, holds):
            if today is not None:
                yield what, word.replace('_', '-'), value, most, today
