# SPDX-License-Identifier: Apache-2.0
"""What a libcuda answers on a machine, by NVIDIA's documents and by reports.

The judge of the score. It shares nothing with the project: no table of data/, no rule. What the
reports say they saw (seen= in cases.tsv) must come out of it, or the score stops."""

# The kernel driver branches that a compat driver of a branch accepts. From 575 on by the note in
# the file or by NVIDIA_REQUIRE_CUDA of its image; 510 by easybuilders/easybuild-easyconfigs#15892;
# 580 and 595 on 565 as a GH200 site measured them. New Feature Branches (455, 495, 530 and so on)
# are in none: ComputeCanada/software-stack-config#70.
ACCEPTED = {
    410: {384}, 418: {396, 410}, 440: {396, 410, 418}, 450: {418, 440}, 460: {418, 440, 450},
    465: {418, 440, 450, 460}, 470: {418, 440, 450, 460}, 510: {418, 440, 450, 460, 470},
    515: {450, 470, 510}, 520: {450, 470, 510, 515}, 525: {450, 470, 510, 515, 520},
    530: {450, 470, 510, 515, 525}, 535: {450, 470, 525}, 545: {470, 525, 535},
    550: {470, 525, 535}, 555: {470, 535, 550}, 560: {470, 535, 550},
    570: {470, 535, 550, 560, 565}, 575: {535, 550, 560, 565, 570}, 580: {535, 550, 565, 570, 575},
    590: {535, 550, 570, 575, 580}, 595: {535, 570, 580, 590}, 610: {580, 595}, 615: {580},
}
# Compute capability below which a branch makes no context any more: JuliaGPU/CUDA.jl#2940, and
# docs.nvidia.com/datacenter/tesla/drivers for Kepler.
LEAST_CC = ((590, 7.5), (495, 5.0))
CC = {'Tesla V100': 7.0}  # where a case does not say
# The CUDA of a branch: CUDA release notes.
CUDA = {
    384: 9.0, 390: 9.1, 396: 9.2, 410: 10.0, 418: 10.1, 440: 10.2, 450: 11.0, 455: 11.1, 460: 11.2,
    465: 11.3, 470: 11.4, 510: 11.6, 515: 11.7, 520: 11.8, 525: 12.0, 530: 12.1, 535: 12.2,
    545: 12.3, 550: 12.4, 555: 12.5, 560: 12.6, 565: 12.7, 570: 12.8, 575: 12.9, 580: 13.0,
    590: 13.1, 595: 13.2, 610: 13.3, 615: 13.4,
}
# The oldest driver that runs a toolkit of a major: docs.nvidia.com, minor version compatibility.
LEAST_DRIVER = {11: (450, 80, 2), 12: (525, 60, 13), 13: (580,)}
# Jetson: CUDA by the kernel module's version.
TEGRA = (('35', 11.4), ('36', 12.6), ('540', 12.6), ('580', 13.0))

# What becomes of a program, best first; every other word is the answer it ends with.
RUNS, MINOR = 'runs', 'runs, 222 or 36 possible'


def version(text):
    return tuple(int(p) for p in text.split('.'))


def unsupported_brand(model, branch):
    """Forward compatibility is for data-centre GPUs, from R470 on for RTX of workstations too."""
    name = model.removeprefix('NVIDIA ')
    if name.startswith(('GeForce', 'TITAN')):
        return True
    return name.startswith(('Quadro', 'RTX')) and branch < 510


def visible(case):
    """By index in PCI order; without an order, or without a list, all of them."""
    gpus = list(zip(case.gpus, case.cc, strict=True))
    if case.visible == '-' or case.extra.get('order') != 'PCI_BUS_ID':
        return gpus
    return [gpus[int(i)] for i in case.visible.split(',')]


def capability(model, cc):
    known = (number for name, number in CC.items() if model.startswith(name))
    return float(cc) if cc != '-' else next(known)


def cu_init(case, file):
    """What cuInit of that file ("native" or "compat") answers, then what a context does."""
    if case.platform in ('wsl', 'other', 'tegra'):
        if file == 'native':
            return '0'
        newer = case.platform == 'tegra' and 'notecuda' in case.extra and \
            float(case.extra['notecuda']) > tegra_cuda(case)
        return '0' if newer else '803'
    kernel, user = version(case.kmd), version(getattr(case, file))
    if user == kernel:
        return '0'
    if user < kernel or (user[0] != kernel[0] and kernel[0] not in ACCEPTED[user[0]]):
        return '803'
    if any(unsupported_brand(model, user[0]) for model, _ in visible(case)):
        return '804'
    least = next((cc for branch, cc in LEAST_CC if user[0] >= branch), 0)
    if any(capability(model, cc) < least for model, cc in visible(case)):
        return 'no context'
    return '0'


def tegra_cuda(case):
    return next(cuda for start, cuda in TEGRA if case.kmd.startswith(start))


def cuda_of(case, file):
    """None: not known, and enough."""
    if case.platform in ('wsl', 'other'):
        return None
    if case.platform == 'tegra':
        return tegra_cuda(case) if file == 'native' else float(case.extra.get('notecuda', 0))
    return CUDA[version(getattr(case, file))[0]]


def outcome(case, file):
    """What becomes of the case's program with that file."""
    if file not in ('native', 'compat') or getattr(case, file) == '-':
        return 'nothing loaded'
    code = cu_init(case, file)
    if code != '0':
        return code
    has = cuda_of(case, file)
    if case.toolkit == '-' or has is None or has >= float(case.toolkit):
        return RUNS
    major = int(float(case.toolkit))
    if major != int(has) or major not in LEAST_DRIVER or case.platform == 'tegra':
        return RUNS if major == int(has) and case.platform == 'tegra' else '35'
    return MINOR if version(getattr(case, file)) >= LEAST_DRIVER[major] else '35'


def grade(word):
    return {RUNS: 2, MINOR: 1}.get(word, 0)


def contradicts(case):
    """A line for each answer that a report saw and this model does not give."""
    for seen in filter(None, case.extra.get('seen', '').split(',')):
        file, answer = seen.split(':')
        ours = outcome(case, file)
        alike = {'0': grade(ours) > 0, 'no': grade(ours) == 0}.get(answer, answer == ours)
        if not alike:
            yield '%s: %s answered %s, the model says %s' % (case.id, file, answer, ours)
