#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""calls.py SCENARIO...: makes one system call after the other fail that the shim makes in the program for
a request, with each error that it can give. TAP, and rows of a table.

The program has to end with the answer that it gets bare or with the right one: no signal, no other exit
code, no wait, nothing left behind. strace shows the calls and who makes each: a call of ld.so counts
where the shim asked for it, not where the program did. The keeper cannot be traced; answerer.py has the
answerer's calls.

FAULTS_EVERY=N: only every Nth fault."""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

from scenario import HERE, SAME, Scenario, run_all_traced

EVERY = int(os.environ.get('FAULTS_EVERY') or 1)
LIMIT_MS = 15000
# What lies between a caller and the kernel, the stand-in for a driver's as well.
LOADER = re.compile(r'(ld-linux.*|libc|libc-.*|libdl.*|libpthread.*|libstandin)\.so.*')

E = {'EPERM': 1, 'ENOENT': 2, 'ESRCH': 3, 'EINTR': 4, 'EIO': 5, 'ENOEXEC': 8, 'EBADF': 9, 'ECHILD': 10,
     'EAGAIN': 11, 'ENOMEM': 12, 'EACCES': 13, 'EFAULT': 14, 'EBUSY': 16, 'EEXIST': 17, 'ENODEV': 19,
     'ENOTDIR': 20, 'EINVAL': 22, 'ENFILE': 23, 'EMFILE': 24, 'ENOTTY': 25, 'ETXTBSY': 26, 'EFBIG': 27,
     'ENOSPC': 28, 'EROFS': 30, 'EPIPE': 32, 'ENAMETOOLONG': 36, 'ENOLCK': 37, 'ENOSYS': 38, 'ELOOP': 40,
     'EAFNOSUPPORT': 97, 'ECONNREFUSED': 111, 'ESTALE': 116, 'EDQUOT': 122}

# What a call can give while the same call works a moment later. ".": it is made, and fails none the
# less.
OPEN = 'ENOENT EACCES EMFILE ENFILE ENOMEM EINTR EIO ELOOP ENOTDIR ESTALE'
READ = 'EIO EINTR EAGAIN ENOMEM 0 half'
STAT = 'ENOENT EACCES ENOMEM EIO ELOOP ESTALE'
LINK = 'ENOENT EACCES EIO ENOMEM EINVAL ENAMETOOLONG'
CHANGE = 'EACCES EROFS ENOSPC EIO EDQUOT ENOENT EEXIST'
FORK = 'EAGAIN ENOMEM EPERM ENOSYS'
WAIT = 'EINTR EAGAIN EINVAL ENOMEM 0'
ERRORS = {
    'open': OPEN, 'openat': OPEN + ' EROFS ENOSPC', 'read': READ, 'pread64': READ,
    'stat': STAT, 'fstat': STAT, 'lstat': STAT, 'newfstatat': STAT, 'statx': STAT,
    'access': STAT, 'faccessat': STAT, 'faccessat2': STAT,
    'mmap': 'ENOMEM EAGAIN ENODEV EACCES ENFILE EPERM', 'mprotect': 'ENOMEM EACCES', 'munmap': 'ENOMEM',
    'mremap': 'ENOMEM', 'brk': 'none', 'getdents64': 'EIO EINTR ENOENT ENOMEM 0',
    'readlink': LINK, 'readlinkat': LINK, 'getcwd': 'ENOENT ENOMEM EACCES', 'close': '.EIO .EINTR .ENOSPC',
    'fcntl': 'EBADF EINTR EINVAL', 'lseek': 'EINVAL EIO', 'flock': 'EINTR ENOLCK EAGAIN EIO ENOSYS',
    'socket': 'EMFILE ENFILE EACCES EAFNOSUPPORT ENOMEM', 'getsockname': 'ENOMEM',
    'connect': 'ECONNREFUSED EINTR EACCES EAGAIN ENOENT 0', 'sendto': 'EPIPE EAGAIN EINTR ENOMEM',
    'pipe2': 'EMFILE ENFILE ENOMEM', 'dup3': 'EBUSY EINTR EMFILE', 'clone': FORK, 'clone3': FORK,
    'fork': FORK, 'vfork': FORK, 'execve': 'ENOMEM EACCES ENOENT ETXTBSY EAGAIN EIO EMFILE ENOEXEC EPERM',
    'wait4': 'EINTR .ECHILD', 'waitid': 'EINTR ECHILD EINVAL',
    'kill': 'ESRCH EPERM', 'poll': WAIT, 'ppoll': WAIT,
    'ioctl': 'EIO ENODEV EINTR ENOTTY EINVAL', 'prctl': 'EINVAL EBUSY EPERM', 'mkdir': CHANGE,
    'mkdirat': CHANGE, 'renameat': CHANGE, 'unlinkat': CHANGE,
    'write': 'EIO EINTR EAGAIN ENOSPC EDQUOT EFBIG EPIPE half', 'rt_sigtimedwait': 'EAGAIN EINTR',
    'getrandom': 'EAGAIN EINTR ENOSYS', 'setsid': 'EPERM', 'capget': 'EINVAL', 'capset': 'EINVAL EPERM',
    'prlimit64': 'EINVAL EPERM', 'close_range': 'ENOSYS EPERM', 'clock_gettime': 'EINVAL ENOSYS',
    'rseq': 'ENOSYS', 'set_robust_list': 'ENOSYS',
}
CREATION = ('EROFS', 'ENOSPC')
# A file that is reported missing or is cut off: what the program gets then is right, too.
GONE = ('ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', '0')
# What a sandbox makes every call of a kind give, from the first one for the request to its end.
REFUSALS = ('EPERM', 'ENOSYS', 'EACCES')
# They cannot fail, or nothing runs on where they do.
NEVER = ('exit', 'exit_group', 'rt_sigreturn', 'restart_syscall')


def how(error):
    if error in ('half', 'none', '0'):
        return error
    if error.startswith('every '):
        return 'every:-%d' % E[error[6:]]
    return 'after:-%d' % E[error[1:]] if error[0] == '.' else '-%d' % E[error]


def inject(scenario, number, plan, more=()):
    """The lines of inject for those of the plan."""
    command = [os.path.join(HERE, 'inject'), str(LIMIT_MS), scenario.run_folder(number),
               scenario.rounds, '--']
    lines = ''.join('%s %d %d %s\n' % line for line in plan)
    return subprocess.run(command + scenario.program, input=lines, check=True,
                          env={**scenario.env(number), **dict(more)}, capture_output=True, text=True,
                          errors='replace').stdout.splitlines()


def keys(processes):
    """The names that inject gives them."""
    children = {pid: [int(re.search(r'= (\d+)', call[3])[1]) for call in calls
                      if call[2] in ('clone', 'clone3', 'fork', 'vfork') and re.search(r'= \d+', call[3])]
                for pid, calls in processes.items()}
    first = (set(processes) - {child for known in children.values() for child in known}).pop()
    names, left = {first: '0'}, [first]
    while left:
        pid = left.pop()
        for i, child in enumerate(children.get(pid, [])):
            if child in processes:
                names[child] = '%s.%d' % (names[pid], i)
                left.append(child)
    return names


def traced(scenario, env, *options):
    """As trace_once; where the machine is busy, strace may need a second attempt."""
    for _ in range(2):
        try:
            return trace_once(scenario, env, *options)
        except subprocess.TimeoutExpired as error:
            print('# %s' % error)
    return trace_once(scenario, env, *options)


def trace_once(scenario, env, *options):
    """The calls of each process: {key: [(ordinal, number, name, line, objects of the frames)]}."""
    trace = os.path.join(tempfile.mkdtemp(dir=scenario.folder), 'trace')
    shutil.rmtree(scenario.run_folder(0), ignore_errors=True)
    scenario.run_folder(0)
    if 'b' in scenario.rounds:
        scenario.answer(scenario.env(0))
    command = ['strace', '-qq', '-ff', '-n', '-s', '200', '-o', trace, *options]
    for name, value in env.items():
        command += ['-E', '%s=%s' % (name, value)]
    subprocess.run(command + scenario.program, env={'PATH': os.environ['PATH']}, check=True,
                   capture_output=True, timeout=60)
    processes = {}
    for file in glob.glob(trace + '.*'):
        calls = processes.setdefault(int(file.rpartition('.')[2]), [])
        with open(file, encoding='utf-8', errors='replace') as lines:
            for line in lines:
                call = re.match(r'\[ *(\d+)\] (\w+)\(', line)
                frame = re.match(r' > (.*?)(\(.*\))? \[0x', line)
                if call:
                    calls.append((len(calls), int(call[1]), call[2], line.strip(), []))
                elif frame and calls:
                    calls[-1][4].append(os.path.basename(frame[1]))
    return {key: processes[pid] for pid, key in keys(processes).items()}


def points(scenario):
    """What can be made to fail: (process, ordinal, number, name, line). And the numbers of the calls
    that a request takes without us."""
    found = []
    others = {call[1] for calls in traced(scenario, scenario.bare_env).values() for call in calls[1:]}
    for key, calls in traced(scenario, scenario.env(0), '-k').items():
        again, mapping, counts = False, False, collections.Counter()
        for ordinal, number, name, line, objects in calls:
            who = next((one for one in objects if not LOADER.fullmatch(one)), None)
            if ordinal:
                counts[number] += 1
            # Executed again, ld.so maps what it is given.
            again = ordinal > 0 and (again or name == 'execve')
            if again and name == 'openat' and who is None and '/libcuda.so' in line:
                mapping = True
            ours = who == 'libcuarbiter.so' or (mapping and who is None)
            mapping = mapping and name != 'close'
            if ours and name not in NEVER and ordinal:
                found.append((key, counts[number], number, name, line))
            else:
                others.add(number)
    return sorted(found, key=lambda point: point[0]), others


def all_faults(found, others, single=True):
    seen = set()
    for point in found:
        for error in ERRORS.get(point[3], '').split() if single else ():
            if error not in CREATION or point[3] != 'openat' or 'O_CREAT' in point[4]:
                yield point, error
        if point[2] not in others and (point[0], point[2]) not in seen:
            seen.add((point[0], point[2]))
            for error in REFUSALS:
                yield point, 'every ' + error


def try_once(scenario, faults):
    """(fault, line of inject) for each, by as many supervisors as there are processors."""
    workers = os.cpu_count() or 1
    results = [[] for _ in range(workers)]

    def work(i):
        mine = faults[i::workers]
        lines = inject(scenario, i, [(p[0], p[1], p[2], how(error)) for p, error in mine])
        results[i] = list(zip(mine, lines))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [result for part in results for result in part]


def try_all(scenario, faults):
    """What waits for another process makes now more calls and now fewer: what was not reached is
    tried again."""
    done = []
    for _ in range(4):
        tried = try_once(scenario, faults)
        faults = [fault for fault, line in tried if line.startswith('not')]
        done += [(fault, line) for fault, line in tried if not line.startswith('not')]
    return done + [(fault, 'not reached') for fault in faults]


def judge(scenario, bare, right, error, line):
    """What became of the program: bare, right, gone (as without a file), not reached, or lost with
    the reason."""
    words = line.split('\t')
    if words[0] != 'reached':
        return 'not reached'
    status, out, err = words[1:4]
    gone = (status, out) == scenario.default or (error in GONE and (status, out) == scenario.gone)
    if (status, out) not in (bare, right) and not gone:
        return 'lost: %s: %s %s' % (status, out, err)
    if scenario.rounds.endswith('n') and (words[4], words[5]) != right:
        return 'lost: the next one: %s: %s %s' % tuple(words[4:7])
    return 'right' if (status, out) == right else 'bare' if (status, out) == bare else 'gone'


def walk(name, folder, tap):
    scenario = Scenario(name, folder)
    bare, right = scenario.answer(scenario.bare_env), scenario.answer(scenario.env(0))
    print('# %s: bare %s, right %s' % (name, bare, right))
    found, others = points(scenario)
    faults = list(all_faults(found, others, not name.startswith('hang')))[::EVERY]
    reached = collections.Counter(point[3] for point in found)
    tried = collections.Counter(point[3] for point, _ in faults)
    verdicts, missed, unreached = collections.Counter(), 0, collections.Counter()
    for (point, error), line in try_all(scenario, faults):
        verdict = judge(scenario, bare, right, error, line)
        verdicts[verdict.partition(':')[0]] += 1
        if verdict == 'not reached':
            unreached[point[3]] += 1
        missed += verdict == 'not reached'
        if verdict.startswith(('lost', 'not')):
            print('# %s: %s of %s: %s\n#   %s' % (name, error, point[0], point[4][:200], verdict))
    tap.check((bare != right) == (name.removesuffix('-here') not in SAME), name + ': what it gets bare, and what with the shim')
    tap.check(not verdicts['lost'], name + ': the program gets one of both, whatever fails')
    tap.check(missed <= 3 + len(faults) // 50, name + ': what was recorded is reached again')
    print('#| %-12s %4d points, %5d faults: %d right, %d as bare, %d as without a file, '
          '%d lost, %d not reached%s; of points/faults: %s'
          % (name, len(found), len(faults), verdicts['right'], verdicts['bare'], verdicts['gone'],
             verdicts['lost'], verdicts['not reached'],
             ' (%s)' % ', '.join('%s %d' % call for call in sorted(unreached.items())) if unreached else '', ', '.join('%s %d/%d' % (call, reached[call], tried[call])
                                                for call in sorted(reached))))


if __name__ == '__main__':
    sys.exit(run_all_traced(walk))
