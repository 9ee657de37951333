# SPDX-License-Identifier: Apache-2.0
"""Reads cases.tsv, for every script that does. row.c has the same names for the C tests."""
import os
import sys

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'cases.tsv')
COLUMNS = ('id kmd host compat gpus cc visible toolkit platform policy extra loader chosen works reason '
           'source').split()
# What the head of cases.tsv explains. A slip in one would be a machine without it, and mostly the same verdict.
WORDS = {
    'platform': {'-', 'open', 'wsl', 'tegra', 'none', 'other'},
    'policy': {'-', 'host', 'compat', 'off', 'file-host', 'file-compat'},
    'loader': {'-', 'native', 'compat'},
    'chosen': {'native', 'compat', 'other', 'none', 'brought'},
    'works': {'yes', 'no', 'unknown'},
    'extra': set('host compat order mount mps alone note notecuda brand nvml minor first trial answer seen brought bnote '
                 'banswer'.split()),
    'order': {'PCI_BUS_ID', 'FASTEST_FIRST'},
    'trial': {'auto', 'never', 'always'},
}
# Rows of one id are one machine, and differ in these.
OUTCOME = ('loader', 'chosen', 'works', 'reason', 'source')
SETTLED = ('trial', 'answer', 'seen', 'banswer')


class Row:
    """The cells of a line as text, but: gpus and cc are lists, extra is a dict."""

    def __init__(self, line):
        cells = line.rstrip('\n').split('\t')
        if len(cells) != len(COLUMNS):
            raise ValueError('%s: row with %d columns, not %d' % (cells[0], len(cells), len(COLUMNS)))
        for name, cell in zip(COLUMNS, cells):
            setattr(self, name, cell)
        self.gpus = [] if self.gpus == '-' else self.gpus.split(';')
        self.cc = self.cc.split(';') if self.gpus else []
        self.extra = dict(w.partition('=')[::2] for w in self.extra.split(';') if w != '-')
        for column in ('platform', 'policy', 'loader', 'chosen', 'works'):
            self.check(column, getattr(self, column))
        for word, value in self.extra.items():
            self.check('extra', word)
            if word in WORDS:
                self.check(word, value)

    def check(self, column, word):
        if word not in WORDS[column]:
            raise ValueError('%s: %s: unknown word %s; there are: %s'
                             % (self.id, column, word, ' '.join(sorted(WORDS[column]))))

    def machine(self):
        return [getattr(self, name) for name in COLUMNS if name not in OUTCOME + ('extra',)] + \
            [{word: self.extra[word] for word in self.extra if word not in SETTLED}]

    def asked(self):
        return self.loader, self.extra.get('trial'), self.extra.get('answer'), self.extra.get('banswer')


def check_ids(read):
    """No two rows have one id, but those of one machine that ask something else."""
    known = {}
    for row in read:
        for other in known.setdefault(row.id, []):
            if row.machine() != other.machine():
                raise ValueError('%s: this id has another machine already' % row.id)
            if row.asked() == other.asked():
                raise ValueError('%s: this id is there twice' % row.id)
        known[row.id].append(row)
    return read


def read_rows(kind=Row, lines=None):
    """Of the lines, ValueError names a slip; of cases.tsv, the program ends with it."""
    if lines is not None:
        return check_ids([kind(line) for line in lines if line[0] != '#' and line.strip()])
    with open(CASES) as f:
        try:
            return read_rows(kind, f.readlines())
        except ValueError as error:
            sys.exit('%s: %s' % (CASES, error))
