#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rooms of probe/: what each may include, and which functions the rules may call. TAP.

    rooms.py SOURCE-FOLDER [OBJECT-FOLDER]
"""
import pathlib
import re
import subprocess
import sys

# One direction: a room includes itself, include/ and what is listed here.
MAY_INCLUDE = {
    'base': '',
    'elf': 'base',
    'machine': 'base',
    'tables': 'base machine',
    'loader': 'base elf machine',
    'facts': 'base elf machine tables loader',
    'drivers': 'base elf machine loader facts',
    'rules': 'base elf tables facts',
    'trial': 'base machine loader facts drivers',
    'decide': 'base elf machine tables loader facts drivers rules trial',
    'store': 'base elf machine tables drivers',
    'answer': 'base elf machine tables loader facts drivers rules trial decide',
    'cli': 'base',
    'deploy': 'base elf machine tables facts drivers rules cli',
    'command': 'base elf machine tables loader facts drivers rules trial decide store cli deploy',
}
# They read no file, no clock and no environment.
RULES_MAY_CALL = 'memcpy memmove memset snprintf __snprintf_chk strchr strcmp strlen strstr ' \
    'strncmp vsnprintf __vsnprintf_chk __stack_chk_fail _GLOBAL_OFFSET_TABLE_'.split()
# main has no caller here.
WITHOUT_HEADER = ['command/main.c', 'answer/main.c']

failed = []
tests = 0


def check(name, bad):
    global tests
    tests += 1
    print('%s %d - %s' % ('not ok' if bad else 'ok', tests, name))
    for line in bad:
        print('#   ' + line)
    if bad:
        failed.append(name)


def sources(probe):
    for path in sorted(probe.rglob('*.[ch]')):
        name = path.relative_to(probe).as_posix()
        if not name.startswith(('floor/', 'command/doctor/audit/')):
            yield name, path.read_text()


def check_includes(files):
    bare, arrows = [], []
    for name, text in files.items():
        room = name.split('/')[0]
        for included in re.findall(r'^#include "(.*)"', text, re.M):
            other = included.split('/')[0]
            if included not in files:
                if other != 'cuarbiter' and included != 'audit_bytes.inc':
                    bare.append('%s: "%s"' % (name, included))
            elif other != room and other not in MAY_INCLUDE.get(room, '').split():
                arrows.append('%s may not include "%s"' % (name, included))
    check('every include names its room', bare)
    check('no room includes one that it may not', arrows)


def check_headers(files):
    missing = [name for name in files
               if name.endswith('.c') and name[:-1] + 'h' not in files
               and name not in WITHOUT_HEADER]
    check('every .c file has a header of its name', missing)
    check('every file lies in a room',
          [name for name in files if name.split('/')[0] not in MAY_INCLUDE])


def undefined(objects):
    out = subprocess.run(['nm', *objects], capture_output=True, text=True, check=True).stdout
    defined = set(re.findall(r'^[0-9a-f]+ [A-TV-Za-z] (\w+)', out, re.M))
    return sorted(set(re.findall(r'^ +[Uu] (\w+)', out, re.M)) - defined)


def check_rules(folder):
    objects = sorted(folder.glob('**/libcua_probe.a.p/rules_*.o'))
    # What the rules share with everybody is as pure as they are.
    shared = [o for room in ('base_', 'tables_tables', 'facts_native')
              for o in folder.glob('**/libcua_probe.a.p/%s*.o' % room)]
    names = subprocess.run(['nm', '--defined-only', *shared], capture_output=True, text=True,
                           check=True).stdout if shared else ''
    pure = set(re.findall(r' T (cua_\w+)', names)) - {'cua_list', 'cua_stat', 'cua_lstat',
                                                     'cua_fstat'}
    check('objects of the rules are there', [] if objects else [str(folder)])
    check('the rules call pure functions alone',
          [name for name in undefined(objects)
           if name not in RULES_MAY_CALL and name not in pure
           and name != 'cua_data_builtin'] if objects else [])


root = pathlib.Path(sys.argv[1]) if sys.argv[1:] else pathlib.Path(__file__).resolve().parents[2]
sources_by_name = dict(sources(root / 'probe'))
check_includes(sources_by_name)
check_headers(sources_by_name)
if len(sys.argv) > 2:
    check_rules(pathlib.Path(sys.argv[2]))
print('1..%d' % tests)
sys.exit(1 if failed else 0)
