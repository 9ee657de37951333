# SPDX-License-Identifier: Apache-2.0
"""A row of cases.tsv as a machine, for oracle: its files, its GPUs as the tables of data/ know them,
and which of them CUDA_VISIBLE_DEVICES leaves, as NVIDIA's documentation has it."""
import os
import re

import rows

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, '..', '..', 'data')
# nvml.h, nvmlBrandType_t
BRANDS = dict(quadro=1, tesla=2, nvs=3, grid=4, geforce=5, titan=6, vapps=7, vpc=8, vcs=9, vws=10,
              nvidia=14)
BRANDS.update({'cloud-gaming': 11, 'quadro-rtx': 12, 'nvidia-rtx': 13})
CONSUMER = {5, 6, 15, 16}
VIRTUAL = dict(A=7, B=8, C=9, Q=10)
GUESS, DECLARED, MEASURED, NOTE = range(1, 5)
GRADES = dict(guess=GUESS, declared=DECLARED, measured=MEASURED)
YES, NO, OPEN = 'yes', 'no', 'unknown'


def table(name):
    with open(os.path.join(DATA, name + '.tsv')) as f:
        return [line.rstrip('\n').split('\t') for line in f if line[0] != '#' and line.strip()]


UMD = {int(r[0]): r[1] for r in table('umd')}
FORWARD = {int(r[0]): (set(map(int, r[2].split())), GRADES[r[3]]) for r in table('forward')}
BRAND_ROWS = [(int(r[0]), int(r[1]), {BRANDS[b] for b in r[2].split()}) for r in table('brands')]
MIN_CC = [(int(r[0]), float(r[1])) for r in table('min-cc')]
MODELS = {r[0]: r for r in table('models')}
TEGRA = {r[0]: r[1] for r in table('tegra')}
RUNS = [(int(u), int(k), BRANDS.get(b), None if c == '-' else float(c), end)
        for u, k, b, c, end, _ in table('measured')]


def version(text):
    return tuple(int(p) for p in text.split('.'))


def model_of(name):
    """Brand and capability by the tables; None where they are not known, or guessed."""
    name = name.removeprefix('NVIDIA ')
    virtual = re.fullmatch(r'(.+?)(?:-\d+)*-\d+([ABCQ])(?:\d|ME)?', name)
    board = virtual[1] if virtual else name
    best = None
    for pattern, row in MODELS.items():
        star = pattern.endswith('*')
        stem = pattern.rstrip('*')
        rest = board[len(stem):]
        if board.startswith(stem) and (star or not rest or rest[0] in ' -/') and \
                (best is None or len(pattern) > len(best[0])):
            best = row
    if best is None:
        return None, None
    brand = BRANDS.get(best[1]) if GRADES[best[3]] > GUESS else None
    return VIRTUAL[virtual[2]] if virtual else brand, None if best[2] == '-' else float(best[2])


class File:
    """A libcuda of the machine: where it comes from, its version, what its note says."""

    def __init__(self, row, which):
        self.compat = which == 'compat'
        brought = which == 'brought'
        self.name = text = row.extra['brought'] if brought else row.compat if self.compat else row.host
        folder = row.extra.get(which, '/usr/local/cuda/compat' if self.compat else '')
        self.folder = folder
        self.folder_known = brought or (self.compat and 'compat' in folder)
        self.native_place = text in ('wsl', 'tegra')
        self.version = version(text) if text[0].isdigit() else None
        self.jetson = row.platform == 'tegra' and text in ('tegra', '1.1')
        self.note = None
        note = 'bnote' if brought else 'note'
        if (self.compat or brought) and note in row.extra:
            self.note = tuple(set(map(int, part.split())) for part in row.extra[note].split('/'))
        self.lone = self.compat and 'alone' in row.extra
        self.answer = row.extra.get('banswer' if brought else 'answer') if self.compat or brought else None
        if text == 'tegra':
            self.cuda = TEGRA.get(row.kmd) or TEGRA.get(row.kmd.split('.')[0])
        elif self.jetson:
            self.cuda = row.extra.get('notecuda')
        else:
            self.cuda = UMD.get(self.version[0]) if self.version else None


class Row(rows.Row):
    def __init__(self, line):
        super().__init__(line)
        self.kernel = version(self.kmd) if self.kmd[0].isdigit() else None
        self.files = {w: File(self, w) for w in ('host', 'compat') if getattr(self, w) != '-'}
        self.brought = File(self, 'brought') if 'brought' in self.extra else None
        self.boards = []  # (brand, capability) of each GPU
        for name, own in zip(self.gpus, self.cc):
            brand, cc = model_of(name)
            brand = int(self.extra.get('brand', self.extra.get('nvml', brand or 0))) or None
            self.boards.append((brand, cc if own == '-' else float(own)))
        seen = self.seen()
        self.boards_seen = [self.boards[i] for i in seen] if seen else self.boards

    def seen(self):
        """CUDA_VISIBLE_DEVICES as NVIDIA describes it; none or not known: all of them count."""
        names = [f'gpu-{i:08d}-0000-0000-0000-000000000000' for i in range(len(self.gpus))]
        found = []
        for word in [] if self.visible in ('-', 'empty') else self.visible.lower().split(','):
            if word.startswith('mig-gpu-'):
                at = names.index(word[4:].split('/')[0])
            elif word.startswith('gpu-'):
                fits = [i for i, name in enumerate(names) if name.startswith(word)]
                at = fits[0] if len(fits) == 1 else -1
            elif re.fullmatch(r'0|[1-9]\d*', word):
                by_order = self.extra.get('order') == 'PCI_BUS_ID' or len(set(self.boards)) == 1
                if not by_order:
                    return []
                at = int(word) if int(word) < len(names) else -1
            else:
                at = -1
            if at < 0:
                break
            if at in found:
                return []
            found.append(at)
        return found
