# SPDX-License-Identifier: Apache-2.0
"""Reads cases.tsv, for every script that does. row.c has the same names for the C tests."""
import os

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'cases.tsv')
COLUMNS = ('id kmd host compat gpus cc visible toolkit platform policy extra loader chosen works reason '
           'source').split()


class Row:
    """The cells of a line as text, but: gpus and cc are lists, extra is a dict."""

    def __init__(self, line):
        for name, cell in zip(COLUMNS, line.rstrip('\n').split('\t'), strict=True):
            setattr(self, name, cell)
        self.gpus = [] if self.gpus == '-' else self.gpus.split(';')
        self.cc = self.cc.split(';') if self.gpus else []
        self.extra = dict(w.partition('=')[::2] for w in self.extra.split(';') if w != '-')


def read_rows(kind=Row):
    with open(CASES) as f:
        return [kind(line) for line in f if line[0] != '#' and line.strip()]
