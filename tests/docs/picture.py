#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs README's example on a terminal and prints that terminal as SVG.

    picture.py MACHINE      a command that runs the command behind it
"""
import os
import pty
import re
import subprocess
import sys
from xml.sax.saxutils import escape

COMMANDS = ['app', 'cuarbiter status', 'cuarbiter run -- app']
CAPTION = ("The 804 is a fake driver's, which answers by the rules of real ones: this was not run on a GPU.",
           'Everything else on this screen is what the commands printed.')
COLOURS = {'31': '#ff7b72', '32': '#7ee787', '33': '#e3b341'}
LINE, MARGIN = 19, 16
STOP = 'Policy '


def run(machine, command):
    """What a terminal would get."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen([machine, command], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
    os.close(theirs)
    got = b''
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        got += part
    child.wait()
    return got.decode().replace('\r\n', '\n').rstrip('\n').split('\n')


def spans(line):
    """The line's escape sequences as SVG."""
    out, style = '', ''
    for text, codes in re.findall(r'([^\x1b]*)(?:\x1b\[([0-9;]*)m)?', line):
        if text:
            out += '<tspan%s>%s</tspan>' % (style, escape(text)) if style else escape(text)
        for code in codes.split(';') if codes else []:
            if code == '1':
                style += ' font-weight="bold"'
            elif code in COLOURS:
                style += ' fill="%s"' % COLOURS[code]
            elif code == '0':
                style = ''
    return out


def main():
    lines, widest = [], 0
    for command in COMMANDS:
        lines.append('<tspan fill="#79c0ff">$ %s</tspan>' % escape(command))
        got = run(sys.argv[1], 'TERM=xterm ' + command)
        # What follows is about the command itself.
        last = next((n for n, line in enumerate(got) if STOP in line), len(got))
        got[last:] = ['…'] * (last < len(got))
        widest = max([widest] + [len(re.sub('\x1b[^m]*m', '', line)) for line in got])
        lines += [spans(line) for line in got] + ['']
    height = 2 * MARGIN + LINE * (len(lines) + len(CAPTION))
    width = 2 * MARGIN + int(widest * 8.5)
    print('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">' % (width, height))
    print('<title>error 804 without cuarbiter, its verdict, and the same program with it</title>')
    print('<rect width="100%" height="100%" rx="8" fill="#161b22"/>')
    print('<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" '
          'fill="#e6edf3" xml:space="preserve">')
    for number, line in enumerate(lines + ['<tspan fill="#9198a1">%s</tspan>' % escape(c)
                                           for c in CAPTION], 1):
        if line:
            print('<text x="%d" y="%d">%s</text>' % (MARGIN, MARGIN + number * LINE - 5, line))
    print('</g></svg>')


main()
