#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No two files of shim/ or probe/ need each other, directly or around a circle. TAP.

    circles.py SOURCE-FOLDER [BUILD-FOLDER]

A .c file and the header of its name are one file here. It needs the files that it includes, and, with
a build folder, those whose functions or data its object names; a call through a pointer is none.
Assembly needs nothing: one file has the instruction for system calls, which everybody needs, and the
entry stubs, which nobody calls.
"""
import os
import pathlib
import re
import subprocess
import sys


def stem(name):
    return name.rsplit('.', 1)[0]


def included(folder):
    """File -> the files that it includes."""
    texts = {path.relative_to(folder).as_posix(): path.read_text()
             for path in folder.rglob('*') if path.suffix in ('.c', '.h', '.S')}
    arrows = {stem(name): set() for name in texts}
    for name, text in texts.items():
        for other in re.findall(r'^#include "(.*)"', text, re.M):
            for place in (other, (pathlib.PurePath(name).parent / other).as_posix()):
                if place in texts:
                    arrows[stem(name)].add(stem(place))
    return arrows


def symbols(objects, *options):
    """(object, symbol) for each line of nm."""
    out = subprocess.run(['nm', '-A', *options, *objects], capture_output=True, text=True, check=True)
    return [(line.split(':', 1)[0], line.split()[-1]) for line in out.stdout.splitlines()]


def called(folder, build):
    """File -> the files whose symbols its object leaves to be found."""
    files, assembly = {}, {path.stem for path in folder.rglob('*.S')}
    for path in folder.rglob('*'):
        if path.suffix in ('.c', '.S'):
            name = path.relative_to(folder).as_posix()
            files[name.replace('/', '_') + '.o'] = stem(name)
    objects = [str(path) for path in build.rglob('*.p/*.o') if path.name in files]
    if not objects:
        return None
    owner = {symbol: files[os.path.basename(path)]
             for path, symbol in symbols(objects, '--defined-only', '--extern-only')}
    arrows = {name: set() for name in files.values()}
    for path, symbol in symbols(objects, '--undefined-only'):
        if symbol in owner and files[os.path.basename(path)] not in assembly:
            arrows[files[os.path.basename(path)]].add(owner[symbol])
    return arrows


def reachable(arrows, start):
    seen, left = set(), [start]
    while left:
        for other in arrows.get(left.pop(), ()):
            if other not in seen:
                seen.add(other)
                left.append(other)
    return seen


def circles(arrows):
    """Each set of files that all need each other."""
    reached = {name: reachable(arrows, name) - {name} for name in arrows}
    return sorted({tuple(sorted([name] + [other for other in reached[name] if name in reached[other]]))
                   for name in arrows} - {(name,) for name in arrows})


failed = tests = 0


def check(name, bad):
    global failed, tests
    tests += 1
    failed += bool(bad)
    print('%s %d - %s' % ('not ok' if bad else 'ok', tests, name))
    for line in bad:
        print('#   ' + line)


def check_circles(name, arrows):
    if arrows is None:
        check(name, ['no objects there'])
        return
    check(name, [' '.join(circle) for circle in circles(arrows)])


root = pathlib.Path(sys.argv[1]) if sys.argv[1:] else pathlib.Path(__file__).resolve().parents[2]
for room in ('shim', 'probe'):
    check_circles('no circle of includes in %s/' % room, included(root / room))
    if len(sys.argv) > 2:
        check_circles('no circle of calls in %s/' % room,
                      called(root / room, pathlib.Path(sys.argv[2]) / room))
print('1..%d' % tests)
sys.exit(1 if failed else 0)
