# SPDX-License-Identifier: Apache-2.0
"""What fake drivers know of real ones: CUDA versions, branch lists, brands, companions."""
import json

# CUDA by branch: the releases' notes, as Linux x86_64 has them.
CUDA = {
    346: 7000, 352: 7050, 361: 8000, 367: 8000, 375: 8000, 384: 9000, 387: 9010, 390: 9010,
    396: 9020, 410: 10000, 418: 10010, 430: 10010, 435: 10010, 440: 10020, 450: 11000, 455: 11010,
    460: 11020, 465: 11030, 470: 11040, 495: 11050, 510: 11060, 515: 11070, 520: 11080,
    525: 12000, 530: 12010, 535: 12020, 545: 12030, 550: 12040, 555: 12050, 560: 12060,
    565: 12070, 570: 12080, 575: 12090, 580: 13000, 590: 13010, 595: 13020, 610: 13030,
    615: 13040,
}

# Kernel branches that a compat driver of the branch accepts. From 575 on as their notes say,
# before that as NVIDIA_REQUIRE_CUDA of the images says.
BRANCHES = {
    410: [384, 410], 440: [396, 410, 418, 440], 450: [418, 440, 450], 455: [418, 440, 450],
    460: [418, 440, 450, 460], 465: [418, 440, 450, 460, 465], 470: [418, 440, 450, 460, 470],
    510: [418, 440, 450, 460, 470, 510], 515: [450, 470, 510, 515], 520: [450, 470, 510, 515],
    525: [450, 470, 510, 515, 520, 525], 530: [450, 470, 510, 515, 525, 530],
    535: [450, 470, 525, 535], 545: [470, 525, 535, 545], 550: [470, 525, 535, 550],
    555: [470, 525, 535, 550, 555], 560: [470, 535, 550, 560], 565: [470, 535, 550, 560, 565],
    570: [470, 535, 550, 560, 565, 570], 575: [535, 550, 560, 565, 570, 575],
    580: [535, 550, 565, 570, 575, 580], 590: [535, 550, 570, 575, 580, 590],
    595: [535, 570, 580, 595], 610: [580, 595, 610], 615: [580, 595, 610, 615],
}
DEVICES = [1, 2, 7, 8, 9, 10, 11, 12, 13, 14]

# Long names first: "Quadro RTX" is not "Quadro". Numbers: nvml.h, nvmlBrandType_t.
BRANDS = [
    ('NVIDIA GeForce', 5), ('GeForce', 5), ('NVIDIA TITAN', 6), ('TITAN', 6), ('Quadro RTX', 12),
    ('Quadro', 1), ('Tesla', 2), ('NVS', 3), ('GRID', 10), ('NVIDIA RTX', 13), ('NVIDIA T', 14),
    ('NVIDIA', 14),
]
CC = [
    ('K80', '3.7'), ('GTX 10', '6.1'), ('P100', '6.0'), ('P40', '6.1'), ('P4', '6.1'),
    ('V100', '7.0'), ('TITAN V', '7.0'), ('T4', '7.5'), ('RTX 20', '7.5'), ('GTX 16', '7.5'),
    ('TITAN RTX', '7.5'), ('Quadro RTX', '7.5'), ('A100', '8.0'), ('A30', '8.0'),
    ('RTX 30', '8.6'), ('A10', '8.6'), ('A40', '8.6'), ('RTX A', '8.6'), ('RTX 40', '8.9'),
    ('L40', '8.9'), ('L4', '8.9'), ('L20', '8.9'), ('Ada', '8.9'), ('H100', '9.0'),
    ('H200', '9.0'), ('GH200', '9.0'), ('B200', '10.0'), ('B300', '10.3'), ('RTX 50', '12.0'),
    ('RTX PRO', '12.0'), ('GB10', '12.1'),
]

# Native whatever libcuda is used; enough of them to show it.
KMD_BOUND = [('libnvcuvid', '1'), ('libnvidia-encode', '1'), ('libnvidia-opticalflow', '1')]


def branch_of(version):
    return int(version.split('.')[0])


def at_or_below(table, branch):
    fitting = [b for b in table if b <= branch]
    return table[max(fitting)] if fitting else None


def cuda_of(version):
    return at_or_below(CUDA, branch_of(version)) or 0


def note_of(version):
    """The note that a compat driver of this version is known or expected to carry."""
    branch = branch_of(version)
    if branch < 575:
        return None
    cuda = cuda_of(version)
    text = {'format': 1, 'CUDA version': '%d.%d' % (cuda // 1000, cuda % 1000 // 10),
            'driver': at_or_below(BRANCHES, branch), 'device': DEVICES}
    return json.dumps(text, separators=(',', ':')).replace('CUDAversion', 'CUDA version')


def accepted_by(version, note):
    branches, devices = at_or_below(BRANCHES, branch_of(version)) or [], DEVICES
    try:
        said = json.loads(note) if note else {}
        branches, devices = said.get('driver', branches), said.get('device', devices)
    except (ValueError, AttributeError):
        pass  # a damaged note is what the test wants; the driver's own rules stay
    return ','.join(map(str, branches)), ','.join(map(str, devices))


def brand_of(name):
    return next((number for start, number in BRANDS if name.startswith(start)), 0)


def cc_of(name):
    return next((cc for part, cc in CC if part in name), '8.0')


def companions(version):
    """(stem, SONAME's end; None: the version itself), as the packages of the era have them."""
    branch = branch_of(version)
    names = [('libnvidia-ptxjitcompiler', '1')]
    if branch < 450:
        names.append(('libnvidia-fatbinaryloader', None))
    if branch >= 470:
        names.append(('libnvidia-nvvm', '4'))
    if branch >= 510:
        names.append(('libcudadebugger', '1'))
    if branch >= 570:
        names.append(('libnvidia-gpucomp', None))
    if branch >= 580:
        names.append(('libnvidia-nvvm70', '4'))
    if branch >= 590:
        names.append(('libnvidia-tileiras', None))
    return names
