# SPDX-License-Identifier: Apache-2.0
"""What a built cuarbiter chooses for a case: `cuarbiter status --sysroot` on a root with fake drivers.

Where status would try a driver, the judge of the score answers for it (truth.cu_init)."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, '../fixtures'))
import strategies
from truth import OPEN, cu_init

MAKE_ROOT = os.path.join(HERE, '..', 'fixtures', 'fake', 'make-root')
# The brands in the note of 575.57.08.
BRANDS = [1, 2, *range(7, 15)]


class Cuarbiter:
    """`known`: the program's runtime is known, as where libcudart is mapped; else the image's
    CUDA_VERSION alone is, as where it is static. `roots` keeps the roots of all askers. `also`: a variable
    that the image sets, NAME=VALUE."""

    def __init__(self, command, roots, policy='auto', known=False, also=None):
        self.command, self.roots, self.policy, self.known, self.also = command, roots, policy, known, also

    def __call__(self, case):
        return settle(case, *self.ask(case))

    def ask(self, case):
        """(what it takes without a trial, what it would try: None, host or compat)"""
        root = os.path.join(self.roots, case.id)
        if not os.path.exists(root):
            build(case, root)
        first = case.folders[case.reported]
        folders = dict.fromkeys(f for f in (first, case.folders['host']) if f)
        if case.reported == 'none':
            folders = {}
        env = {'PATH': os.environ['PATH'], 'LD_LIBRARY_PATH': ':'.join(folders)}
        if self.also:
            env.update([self.also.split('=')])
        if case.visible != '-':
            env['CUDA_VISIBLE_DEVICES'] = case.visible
        if 'order' in case.extra:
            env['CUDA_DEVICE_ORDER'] = case.extra['order']
        args = [self.command, 'status', '--sysroot', root, '--policy', self.policy, '--json']
        if case.toolkit is not None and self.known:
            args += ['--toolkit', str(case.toolkit)]
        elif case.toolkit is not None:
            env['CUDA_VERSION'] = str(case.toolkit)
        done = subprocess.run(args, env=env, text=True, capture_output=True)
        try:
            status = json.loads(done.stdout)
        except ValueError:
            raise SystemExit('%s: %s' % (' '.join(args), done.stderr)) from None
        file = {folder: name for name, folder in case.folders.items() if folder}

        def named(path):
            return file.get(os.path.dirname(path))
        chosen, tried = status['chosen'], status['would_try']
        return (named(chosen['path']) if chosen else case.reported) or case.reported, \
            named(tried) if tried else None


def settle(case, chosen, tried):
    """The file that is left after the trial that was asked for."""
    if not tried:
        return chosen
    answer = cu_init(case, tried)
    if answer is None:
        return OPEN
    if answer in strategies.USABLE:
        return tried
    return 'host' if tried == case.reported else chosen


def build(case, root):
    """The case as a folder."""
    args = [MAKE_ROOT, root, '--note', note(case) or 'none']
    host = case.folders['host']
    if case.platform == 'wsl':
        args += ['--wsl', '--host-umd', '560.35.03:%s,file=libcuda.so.1' % host]
    elif case.platform == 'none':
        pass
    elif case.platform == 'tegra':
        args += ['--version-line', 'NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  %s  Release '
                 'Build  (buildbrain@mobile-u64)' % case.kmd, '--host-umd',
                 '1.1:%s,file=libcuda.so.1.1,nocompanions,noml' % host]
        args += ['--kmd', case.kmd]
    else:
        args += ['--kmd', case.kmd, '--host-umd', '%s:%s' % (case.host, host)]
    if case.stub:
        args += ['--compat', '12.8:%s,stub,file=libcuda.so.1,nocompanions' % case.folders['compat']]
    elif 'compat' in case.folders:
        args += ['--compat', '%s:%s' % (case.compat, case.folders['compat'])]
    for name, cc in zip(case.gpus, case.cc):
        args += ['--gpu', name] + (['--cc', cc] if cc != '-' else [])
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL)


def note(case):
    """The note that the compat driver of the case has, where that of a real file is known."""
    branches = strategies.listed(case) if case.platform == '-' and case.compat != '-' else []  # of a stub none
    return branches and json.dumps({'format': 1, 'CUDA version': str(case.toolkit), 'driver': branches,
                                    'device': BRANDS})


