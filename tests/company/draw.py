# SPDX-License-Identifier: Apache-2.0
"""A machine, an image, a program and its company, drawn from a seed. Plain data: what place.py puts
on disk, and what a file of found/ keeps. Nothing here knows what cuarbiter would do."""
import random

from table import cuda_of  # tests/fixtures/fake

VERSIONS = ['470.256.02', '525.147.05', '535.261.03', '550.163.01', '555.58.02', '565.57.01',
            '575.57.08', '580.95.05', '590.44.01', '595.45.04']
HOSTS = ['470.256.02', '535.261.03', '535.261.03', '550.163.01', '580.95.05']
GPUS = ['NVIDIA GeForce RTX 4090', 'NVIDIA GeForce RTX 3060', 'NVIDIA A100-SXM4-80GB',
        'NVIDIA H100 80GB HBM3', 'Tesla T4', 'Tesla V100-SXM2-16GB', 'NVIDIA RTX A6000', 'NVIDIA L40S',
        'NVIDIA Unheard X9']
LIBRARY_FOLDER = '/usr/lib/{arch}-linux-gnu'
# Where a runtime mounts the host's driver as a folder.
MOUNTED_FOLDERS = ['/usr/lib64-nvidia', '/opt/nvidia/lib64', '/var/lib/nvidia/lib64',
                   '/usr/local/nvidia/lib64']
BUNDLED_FOLDERS = ['/usr/local/cuda/compat', '/usr/local/cuda/compat', '/usr/local/cuda-12.9/compat',
                   '/opt/conda/lib', '/app/lib']
WAYS = [('open', 28), ('plugin', 8), ('plugin-now', 5), ('plugin-newer', 5), ('plugin-now-newer', 8),
        ('linked', 10), ('linked-newer', 5), ('linked-now', 5), ('linked-now-newer', 8), ('nvml', 8)]
PRELOADS = [(None, 60), ('agent', 10), ('late-hook', 8), ('editing-hook', 8), ('empty', 4)]


def weighted(rng, pairs):
    return rng.choices([what for what, _ in pairs], [weight for _, weight in pairs])[0]


def branch(version):
    return int(version.split('.')[0])


def draw_gpus(rng):
    count = weighted(rng, [(1, 50), (2, 35), (3, 15)])
    names = [rng.choice(GPUS) for _ in range(count)]
    return [{'name': name, 'brand': rng.choice([5, 14]) if 'Unheard' in name else None,
             'open': True} for name in names]


def draw_job(rng, spec):
    """A scheduler's node with GPUs of two kinds, of which a job gets one; the next gets the other."""
    spec['gpus'] = [{'name': rng.choice(['NVIDIA GeForce RTX 4090', 'NVIDIA Unheard X9']), 'brand': 5},
                    rng.choice([{'name': 'NVIDIA A100-SXM4-80GB', 'brand': None},
                                {'name': 'NVIDIA Unheard X9', 'brand': 14}])]
    if rng.random() < 0.5:
        spec['gpus'].reverse()
    first = rng.randrange(2)
    for at, gpu in enumerate(spec['gpus']):
        gpu['open'] = at == first
    spec['user'], spec['kept'] = 1000, True
    spec['program']['need'] = max([spec['program']['need']] + [cuda_of(b['version']) for b in spec['bundled']])
    spec['changes'] = [{'gpus': [dict(gpu, open=not gpu['open']) for gpu in spec['gpus']]}]
    if rng.random() < 0.5:
        spec['env'] = {'CUDA_VISIBLE_DEVICES': '0', 'CUDA_DEVICE_ORDER': 'PCI_BUS_ID'}


def draw_nodes(rng, gpus):
    """Which nodes this job may open; mostly all."""
    shut = rng.random() < 0.3 and len(gpus) > 1
    while True:
        for gpu in gpus:
            gpu['open'] = not shut or rng.random() < 0.5
        if any(gpu['open'] for gpu in gpus) or rng.random() < 0.1:
            return


def draw_native(rng, kmd):
    if rng.random() < 0.05:
        return None
    version = kmd if rng.random() < 0.92 else rng.choice(VERSIONS)
    how = weighted(rng, [('copied', 55), ('files', 20), ('folder', 25)])
    folder = rng.choice(MOUNTED_FOLDERS) if how == 'folder' else LIBRARY_FOLDER
    return {'version': version, 'folder': folder, 'how': how, 'native': True,
            'reach': rng.choice(['none', 'path']) if how == 'folder' else 'none'}


def draw_bundled(rng):
    return {'version': rng.choice(VERSIONS[1:]), 'folder': rng.choice(BUNDLED_FOLDERS), 'how': 'copied',
            'native': False, 'reach': weighted(rng, [('cache', 40), ('path', 40), ('none', 20)]),
            'plain': rng.random() < 0.12, 'cut': rng.random() < 0.03}


def draw_environment(rng, gpus, need):
    env = {}
    if rng.random() < 0.3:
        env['CUDA_VISIBLE_DEVICES'] = weighted(
            rng, [('0', 50), ('1', 20), ('uuid:%d' % rng.randrange(len(gpus)), 20), ('', 5), ('0,1', 10)])
        if rng.random() < 0.5:
            env['CUDA_DEVICE_ORDER'] = 'PCI_BUS_ID'
    if rng.random() < 0.4:
        env['CUDA_VERSION'] = '%d.%d.1' % (need // 1000, need % 1000 // 10) if rng.random() < 0.8 else '12.2.2'
    return env


def draw_program(rng, cudas):
    way = weighted(rng, WAYS)
    need = max(cudas) if rng.random() < 0.4 else rng.choice(cudas + [12000, 11040])
    return {'way': way, 'need': need, 'runtime': way != 'nvml' and need >= 12000 and rng.random() < 0.5}


def draw_change(rng, spec):
    """What is different in the next run; a dict that goes over the machine."""
    kind = weighted(rng, [('nodes', 45), ('visible', 15), ('user', 10), ('upgrade', 10), ('image', 20)])
    if kind == 'nodes':
        gpus = [dict(gpu) for gpu in spec['gpus']]
        draw_nodes(rng, gpus)
        if len(gpus) > 1 and rng.random() < 0.7:
            for at, gpu in enumerate(gpus):
                gpu['open'] = not spec['gpus'][at]['open'] if not all(
                    g['open'] for g in spec['gpus']) else at == 0
        return {'gpus': gpus, 'user': 1000}
    if kind == 'visible':
        return {'env': draw_environment(rng, spec['gpus'], spec['program']['need'])}
    if kind == 'user':
        return {'user': 1000 - spec['user']}
    if kind == 'upgrade':
        kmd = rng.choice(HOSTS)
        return {'kmd': kmd, 'native': draw_native(rng, kmd), 'proc': 'true'}
    return {'bundled': [draw_bundled(rng) for _ in range(rng.choice([0, 1, 1]))]}


def draw(seed):
    rng = random.Random('company %d' % seed)
    kmd = rng.choice(HOSTS)
    gpus = draw_gpus(rng)
    draw_nodes(rng, gpus)
    bundled = [draw_bundled(rng) for _ in range(weighted(rng, [(0, 5), (1, 78), (2, 17)]))]
    native = draw_native(rng, kmd)
    cudas = [v for v in [kmd] + [b['version'] for b in bundled]]
    program = draw_program(rng, [cuda_of(v) for v in cudas])
    proc = weighted(rng, [('true', 84), ('absent', 5), ('stale', 7), ('gone', 4)])
    spec = {
        'seed': seed, 'root': rng.choice(['host', 'bullseye', 'bookworm', 'trixie']), 'kmd': kmd,
        'proc': proc, 'stale': rng.choice(VERSIONS[:6]), 'gpus': gpus, 'native': native,
        'bundled': bundled, 'quota': rng.random() < 0.05, 'program': program,
        'env': draw_environment(rng, gpus, program['need']),
        'preload': weighted(rng, PRELOADS), 'before': rng.random() < 0.5,
        'by_file': rng.random() < 0.3, 'kept': rng.random() < 0.85,
        'user': 1000 if not all(g['open'] for g in gpus) or rng.random() < 0.4 else 0, 'changes': [],
    }
    if rng.random() < 0.2:
        draw_job(rng, spec)
    state = {**spec, **(spec['changes'][-1] if spec['changes'] else {})}
    while rng.random() < 0.45 and len(spec['changes']) < 3:
        change = draw_change(rng, state)
        spec['changes'].append(change)
        state = {**state, **change}
    return spec
