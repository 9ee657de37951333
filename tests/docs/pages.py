#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command of a page and compares what it prints with what the page shows.

    pages.py MACHINE CLONE BUILDER PAGE...

Blocks are ```console: lines that start with "$ " are commands, what follows is their output; "…"
stands for anything, alone on a line for any lines. A block that starts with a comment "# needs" is
marked, not run. MACHINE, CLONE and BUILDER are commands that run the command behind them: on the page's
machine, in a clone where docker answers, and in a clone on a fresh Debian.
"""
import re
import shlex
import subprocess
import sys

count = failed = 0


def say(good, name, why='', skip=''):
    global count, failed
    count += 1
    failed += not good
    print('%sok %d - %s%s' % ('' if good else 'not ', count, name.replace('#', ''), skip))
    for line in why.splitlines():
        print('#   ' + line)


def blocks(path):
    """(kind, first line's number, lines) of each fenced block."""
    inside = None
    for number, line in enumerate(open(path, encoding='utf-8'), 1):
        line = line.rstrip('\n')
        if inside is None and line.startswith('```'):
            inside = (line[3:].strip(), number, [])
        elif inside is not None and line.startswith('```'):
            yield inside
            inside = None
        elif inside is not None:
            inside[2].append(line)


def commands(lines):
    """(command, shown lines)"""
    found = []
    for line in lines:
        if line.startswith('$ '):
            found.append((line[2:], []))
        elif found and found[-1][0].endswith('\\') and not found[-1][1]:
            found[-1] = (found[-1][0][:-1] + line.strip(), [])
        elif found:
            found[-1][1].append(line)
    return found


def pattern(shown):
    out = ''
    for line in shown:
        if line.strip() == '…':
            out += r'(?:.*\n)*?'
        else:
            out += '.*?'.join(re.escape(part) for part in line.rstrip().split('…')) + r'[ ]*\n'
    return out


def run(page, runner, command, shown):
    name = '%s: %s' % (page.rsplit('/', 1)[-1], command[:90])
    done = subprocess.run(runner + [command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors='replace', timeout=900)
    got = done.stdout if not done.stdout or done.stdout.endswith('\n') else done.stdout + '\n'
    fits = re.fullmatch(pattern(shown), got)
    # Where the page shows nothing in particular, it promises at least that it works.
    if all(line.strip() == '…' for line in shown) and done.returncode:
        fits = None
    say(bool(fits), name, '' if fits else 'shown:\n%s\ngot (exit %d):\n%s' % (
        '\n'.join(shown), done.returncode, '\n'.join(got.splitlines()[-40:])))


def main():
    machine, clone, builder = (shlex.split(word) for word in sys.argv[1:4])
    for page in sys.argv[4:]:
        for kind, number, lines in blocks(page):
            where = '%s:%d' % (page.rsplit('/', 1)[-1], number)
            if kind in ('mermaid', 'text', 'dockerfile') or (not kind and not any(x.startswith('$ ') for x in lines)):
                continue
            if kind != 'console':
                say(False, '%s: a block that nobody runs: %s' % (where, kind or 'no kind'))
                continue
            if lines and lines[0].startswith('# needs '):
                say(True, where, skip=' # SKIP the page says: ' + lines[0][2:])
                continue
            found = commands(lines)
            if not found:
                say(False, where + ': a block without a command')
            runner = machine
            if any(re.match(r'meson ', command) for command, _ in found):
                runner = builder
            elif any(re.search(r'\bdocker\b|\bdist\b', command) for command, _ in found):
                runner = clone
            elif any(re.match(r'scripts/', command) for command, _ in found):
                runner = builder
            for command, shown in found:
                run(page, runner, command, shown)
    print('1..%d' % count)
    return failed != 0


sys.exit(main())
