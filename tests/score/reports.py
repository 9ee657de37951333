# SPDX-License-Identifier: Apache-2.0
"""The samples of the score: cases.tsv, cases-2.tsv and cases-3.tsv, joined with what their reports saw,
reports.tsv."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, '..', 'cases')
sys.path.insert(1, CASES)
from rows import read_rows

LIB = '/usr/lib/%s-linux-gnu' % os.uname().machine
COMPAT = '/usr/local/cuda/compat'
FOLDERS = {'compat': COMPAT, 'rpath': COMPAT, 'ngc': COMPAT + '/lib.real', 'other': '/opt/bundled/lib'}
LEFT_OUT = ('posed', 'apart')
DECLARED = 4


class Case:
    """A machine, an image and a program, with what was seen of them."""

    def __init__(self, sample, row, report):
        self.sample, self.id, self.source = sample, row.id, row.source
        self.kmd, self.host, self.compat = row.kmd, row.host, row.compat
        self.gpus, self.cc, self.visible, self.extra = row.gpus, row.cc, row.visible, row.extra
        # "12.1 static": what follows the number is the collector's.
        self.toolkit = None if row.toolkit == '-' else float(row.toolkit.split()[0])
        self.platform = row.platform
        self.filled_in = getattr(row, 'filled_in', '-')
        self.kind, self.image, self.reported = report['kind'], report['image'], report['reported']
        self.layout, *places = report['layout'].split(';')
        told = {k: LIB if v == 'LIB' else v for k, v in (place.split('=') for place in places)}
        self.folders = {'host': told.get('host') or self.extra.get('host', LIB), 'none': ''}
        if self.compat != '-':
            self.folders['compat'] = told.get('compat') or self.extra.get('compat', FOLDERS[self.layout])
        if self.platform == 'wsl':
            self.folders['host'] = '/usr/lib/wsl/lib'
        if self.platform == 'tegra':
            self.folders['host'] = LIB + '/nvidia'
        seen = self.extra.get('seen', '').replace('native:', 'host:') if report['seen'] == '=' \
            else report['seen']
        self.seen = dict(part.split(':') for part in seen.split(',') if ':' in part)
        # The toolkit's link stub, which is no driver.
        self.stub = self.compat == 'libcuda.so'
        self.changed, self.why = report['changed'], report.get('why', '-')
        self.sets = report.get('sets', '-')

    @property
    def counts(self):
        return self.kind not in LEFT_OUT


class Collected:
    """A row of cases-2.tsv or cases-3.tsv, with the names of cases.tsv."""
    extra = {}

    def __init__(self, cells):
        for name, cell in cells.items():
            setattr(self, name, cell)
        self.gpus = [] if self.gpus == '-' else self.gpus.split(';')
        self.cc = self.cc.split(';') if self.gpus else []
        self.platform = '-'
        if self.kmd == '-':
            self.platform = 'none' if self.host == '-' else 'wsl'
        elif self.host == '1.1':
            self.platform = 'tegra'


def table(path):
    """Rows as dictionaries; the last comment line names the columns."""
    columns = []
    with open(path) as f:
        for line in f:
            if line[0] == '#':
                columns = line[1:].split()
            elif line.strip():
                yield dict(zip(columns, line.rstrip('\n').split('\t'), strict=True))


def read_cases():
    """All samples of reports, each case once, in the order of the files."""
    reports = {r['id']: r for r in table(os.path.join(HERE, 'reports.tsv'))}
    second, third = ([Collected(cells) for cells in table(os.path.join(CASES, name))]
                     for name in ('cases-2.tsv', 'cases-3.tsv'))
    found = {}
    for sample, rows in ((1, [r for r in read_rows() if r.id[0] in 'CS']), (2, second), (3, third)):
        for row in rows:
            if row.id not in reports:
                raise SystemExit('%s: no row in tests/score/reports.tsv' % row.id)
            found.setdefault(row.id, Case(sample, row, reports[row.id]))
    unread = set(reports) - set(found)
    if unread:
        raise SystemExit('reports.tsv: no such case: ' + ' '.join(sorted(unread)))
    return list(found.values())


def declared():
    """NVIDIA's images where they declare that they run, bundled driver first."""
    report = dict(kind='runs', image='compat', reported='compat', layout='compat', seen='compat:0',
                  changed='-')
    rows = {r.id: r for r in read_rows() if r.id[0] == 'L' and r.id.endswith(('-low', '-top'))}
    return [Case(DECLARED, row, report) for row in rows.values() if row.compat != '-']
