#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The words of words.txt stand in no comment, no message and no page, but where words.allow says why.
TAP.

    words.py SOURCE-FOLDER            the gate
    words.py --list SOURCE-FOLDER     each place, to read
    words.py --count SOURCE-FOLDER    how often each stands in each folder: words.today

words.allow: FILE, the line or a part of it, and the reason, with tabs between them. words.today says
how often a word may still stand in a folder; it only shrinks.
"""
import collections
import io
import pathlib
import re
import sys
import tokenize

HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = ('include', 'shim', 'probe', 'docs', 'scripts', 'data', 'tests', '.ci')
C_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
SH_TEXT = re.compile(r"""(?:^|(?<=\s))#[^\n]*|"(?:\\.|[^"\\])*"|'[^']*'""", re.M)
SH_VALUE = re.compile(r'\$\(|\$\{[^}]*\}|\$\w+')


def blank(text):
    """The same lines without their words."""
    return re.sub(r'[^\n]', ' ', text)


def only(pattern, text):
    """The text with everything blanked that the pattern does not match."""
    out, end = [], 0
    for match in pattern.finditer(text):
        out += [blank(text[end:match.start()]), match.group()]
        end = match.end()
    return ''.join(out + [blank(text[end:])])


def python_text(text):
    lines = [''] * len(text.splitlines())
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            for row, line in enumerate(token.string.splitlines(), token.start[0]):
                lines[row - 1] += ' ' + line
    return '\n'.join(lines)


def words_of(path):
    """What people read of this file, line by line; None: nothing."""
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        return None
    if path.suffix in ('.c', '.h', '.S', '.inc'):
        return only(C_TEXT, text)
    if path.suffix in ('.md', '.in'):
        return text
    first = text.partition('\n')[0]
    if path.suffix == '.py' or 'python' in first[:40]:
        return python_text(text)
    if path.suffix == '.sh' or re.match(r'#!.*\bsh\b', first):
        return SH_VALUE.sub(lambda match: blank(match.group()), only(SH_TEXT, text))
    if path.suffix == '.tsv' or path.name == 'meson.build':
        return re.sub(r'^[^#].*', '', text, flags=re.M)
    return None


def table(name, columns):
    path = HERE / name
    rows = [line.split('\t') for line in path.read_text().splitlines() if line and line[0] != '#'] \
        if path.exists() else []
    for row in rows:
        if len(row) != columns or not all(row):
            sys.exit('%s: %r has not %d columns' % (name, row, columns))
    return rows


def found(root):
    """(area, word, file, line number, line)"""
    every = re.compile('|'.join(word for word, _ in table('words.txt', 2)), re.I)
    patterns = [(word, re.compile(r'(?<![\w$-])(?:%s)(?![\w-])' % word, re.I))
                for word, _ in table('words.txt', 2)]
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob('*')) if path.is_file()]
    for path in sorted(root.glob('*.md')) + [root / 'meson.build'] + paths:
        name = path.relative_to(root).as_posix()
        if '__pycache__' in name or name.startswith(('tests/gates/words', 'tests/gates/bad-source', 'tests/fuzz/corpus')):
            continue
        text = words_of(path) if path.exists() else None
        if not text or not every.search(text):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for word, pattern in patterns:
                for _ in pattern.finditer(line):
                    yield name.split('/')[0] if '/' in name else '.', word, name, number, line.strip()


def main():
    root = pathlib.Path(sys.argv[-1])
    allowed = table('words.allow', 3)
    places = [place for place in found(root)
              if not any(place[2] == file and part in place[4] for file, part, _ in allowed)]
    counts = collections.Counter((area, word) for area, word, *_ in places)
    if sys.argv[1] == '--list':
        for _, word, name, number, line in places:
            print('%s:%d: %s: %s' % (name, number, word, line))
        return 0
    if sys.argv[1] == '--count':
        for (area, word), count in sorted(counts.items()):
            print('%s\t%s\t%d' % (area, word, count))
        return 0
    today = {(area, word): int(count) for area, word, count in table('words.today', 3)}
    bad = ['%s:%d: "%s": %s' % (name, number, word, line) for area, word, name, number, line in places
           if counts[area, word] > today.get((area, word), 0)]
    texts = {file: words_of(root / file) if (root / file).exists() else '' for file, _, _ in allowed}
    stale = ['%s: %s' % (file, part) for file, part, _ in allowed if part not in (texts[file] or '')]
    for number, (name, lines) in enumerate([('no word of a translation', bad),
                                            ('every exception is needed', stale)], 1):
        print('%s %d - %s' % ('not ok' if lines else 'ok', number, name))
        for line in lines:
            print('#   ' + line)
    print('1..2')
    return 1 if bad or stale else 0


sys.exit(main())
