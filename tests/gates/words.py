#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No comment, no message and no page has a word of words.txt, except where words.allow says why. TAP.

    words.py SOURCE-FOLDER

words.allow: FILE, the line or a part of it, and the reason, with tabs between them.
"""
import io
import pathlib
import re
import sys
import tokenize

HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = ('include', 'shim', 'probe', 'docs', 'scripts', 'data', 'tests', '.ci')
C_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
SH_TEXT = re.compile(r"""(?:^|(?<=\s))#[^\n]*|"(?:\\.|[^"\\])*"|'[^']*'""", re.M)
SH_VALUE = re.compile(r'\$\(\w*|\$\{[^}]*\}|\$\w+')


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
    """(word, file, line number, line)"""
    every = re.compile('|'.join(word for word, _ in table('words.txt', 2)), re.I)
    patterns = [(word, re.compile(r'(?<![\w$/-])(?:%s)(?![\w=-])' % word, re.I))
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
                    yield word, name, number, line.strip()


def main():
    root = pathlib.Path(sys.argv[-1])
    allowed = table('words.allow', 3)
    bad = ['%s:%d: "%s": %s' % (name, number, word, line) for word, name, number, line in found(root)
           if not any(name == file and part in line for file, part, _ in allowed)]
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
