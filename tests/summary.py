#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What meson's test logs amount to, as scripts/test ends with it.

    summary.py LABEL=TESTLOG.json... [AGAIN=TESTLOG.json...] [SKIP=REASON...] [FAIL=REASON...]
    summary.py --failed TESTLOG.json     the names of the tests that failed, a line each

Counts the checks of tests that speak TAP, and other tests as one each. Prints one table of what
they counted: their lines that begin with "#| ", or what a fuzzer says that it has run, and the sums
of what these lines count. A test that failed counts as it did in the log of its second run, AGAIN; what was red the
first time is printed. Names what failed and what was skipped; the last line is "N passed, N failed, N skipped". Exits with 1 if anything failed, or
if there was nothing.
"""
import json
import os
import re
import sys

MUST_RUN = os.environ.get('CUARBITER_MUST_RUN') == '1'

RED = ('FAIL', 'ERROR', 'TIMEOUT', 'INTERRUPT', 'UNEXPECTEDPASS')

passed = 0
failed = []
unsteady = []
skipped = []
tables = []


def tabulate(name, entry):
    for line in ((entry.get('stdout') or '') + (entry.get('stderr') or '')).splitlines():
        runs = re.search(r': nothing found in (\d+) runs', line)
        if line.startswith('#| '):
            tables.append(line[3:])
        elif runs:
            tables.append(f'{name}: {runs[1]} inputs, 0 lost')


def count(name, entry):
    global passed
    tabulate(name, entry)
    before = len(failed)
    seen = False
    for line in (entry.get('stdout') or '').splitlines():
        match = re.match(r'(not )?ok\b *\d* *-? *(.*)', line)
        plan = re.match(r'1\.\.0 *# *skip *(.*)', line, re.I)
        unit = re.match(r'# skipped: (.*)', line)
        if unit:
            skipped.append(f'{name}: {unit[1]}')
            passed -= 1  # the check goes on to say "ok"
        elif plan:
            skipped.append(f'{name}: {plan[1]}')
            seen = True
        elif match:
            seen = True
            what, _, directive = match[2].partition(' # ')
            if re.match(r'skip', directive, re.I):
                skipped.append(f'{name}: {what}: {directive[4:].strip()}')
            elif match[1]:
                failed.append(f'{name}: {what}')
            else:
                passed += 1
    result = entry['result']
    if result in RED:
        if len(failed) == before:
            failed.append(f'{name}: {result.lower()}, exit status {entry["returncode"]}')
    elif not seen:
        if result == 'SKIP':
            lines = ((entry.get('stderr') or '') + (entry.get('stdout') or '')).strip().splitlines()
            skipped.append(f'{name}: {lines[-1] if lines else "no reason given"}')
        else:
            passed += 1


def entries(path):
    """Of a log: the name of each test, which another suite may have too, and what is said of it."""
    with open(path, encoding='utf-8', errors='replace') as log:
        for line in log:
            entry = json.loads(line)
            # "cuarbiter:gates+long / gate-same-bytes"
            yield entry['name'].rpartition(' / ')[2], entry


def read(label, path, again):
    for name, entry in entries(path):
        second = again.get(entry['name'])
        if entry['result'] in RED and second:
            red = re.search('^not ok.*', entry.get('stdout') or '', re.M)
            unsteady.append(f'{label}{name}: {red[0] if red else entry["result"].lower()}: '
                            + ('red again' if second['result'] in RED else 'not when it ran alone'))
            entry = second
        count(label + name, entry)


if sys.argv[1:2] == ['--failed']:
    print(*(name for name, entry in entries(sys.argv[2]) if entry['result'] in RED), sep='\n')
    sys.exit()
runs_again = {entry['name']: entry for argument in sys.argv[1:] if argument.startswith('AGAIN=')
              for _, entry in entries(argument[len('AGAIN='):])}
for argument in sys.argv[1:]:
    label, _, rest = argument.partition('=')
    if label == 'AGAIN':
        continue
    if label in ('SKIP', 'FAIL'):
        (failed if MUST_RUN or label == 'FAIL' else skipped).append(rest)
        continue
    try:
        read('' if label == 'native' else label + ' ', rest, runs_again if label == 'native' else {})
    except OSError as error:
        failed.append(f'{label}: no test log: {error.strerror}')


def tell(title, found):
    """The first of each test; one cause often fails a test from its first line to its last."""
    counts = {}
    for what in found:
        test = what.partition(': ')[0]
        counts[test] = counts.get(test, 0) + 1
        if counts[test] <= 5:
            print(f'{title}: {what}')
    for test, number in counts.items():
        if number > 5:
            print(f'{title}: {test}: {number - 5} more')


COUNTED = {'faults': 'faults tried', 'inputs': 'inputs tried', 'opened': 'libraries opened',
           'started': 'processes started', 'not reached': 'not reached'}


def print_table():
    sums = dict.fromkeys([*COUNTED, 'lost'], 0)
    for row in tables:
        print(row)
        for number, what in re.findall('([0-9]+) (%s)' % '|'.join(sums), row):
            sums[what] += int(number)
    if any(sums[what] for what in COUNTED):
        print('all:', ', '.join(f'{sums[what]} {words}' for what, words in COUNTED.items() if sums[what])
              + f'; lost: {sums["lost"] or "nothing"}')


print_table()
tell('skipped', skipped)
tell('unsteady', unsteady)
tell('FAILED', failed)
if not passed and not failed:
    print('nothing ran: the lines above say what is missing')
print(f'{passed} passed, {len(failed)} failed, {len(skipped)} skipped')
sys.exit(1 if failed or not passed else 0)
