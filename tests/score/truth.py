# SPDX-License-Identifier: Apache-2.0
"""What a libcuda answers on a machine, by NVIDIA's documents and by reports: the judge of the score.

It shares nothing with the project: no table of data/, no rule. Each row has its source. What the
reports of the samples saw must not contradict it, or the score stops; what no source settles is
None, "not known"."""

# The kernel driver branches that a compat driver of a branch accepts. "note": the note in the real file,
# which settles both ways. "image": NVIDIA_REQUIRE_CUDA in the environment of NVIDIA's image, read in
# public container logs; it settles what it names, and nothing about the others. Only what the
# samples need; the rest of their pairs was seen.
FORWARD = {
    535: ('image', {450, 470, 525}, 'nvidia/cuda:12.2, copied in a Dockerfile of ZKsync\'s'),
    545: ('image', {470, 525, 535}, 'nvidia/cuda:12.3.1, a training job\'s environment'),
    555: ('image', {470, 535, 550}, 'nvidia/cuda:12.5.1, the environment of a Colab machine'),
    570: ('image', {470, 535, 550, 560, 565}, 'nvidia/cuda:12.8.1, the environment in vLLM reports'),
    575: ('note', {535, 550, 560, 565, 570, 575},
          '575.57.08 in NVIDIA/nvidia-container-toolkit testdata/compat'),
    580: ('image', {535, 550, 565, 570, 575}, 'nvidia/cuda:13.0.3'),
    590: ('note', {535, 550, 570, 575, 580, 590},
          '590.44.01 in NVIDIA/nvidia-container-toolkit testdata/compat'),
    595: ('image', {535, 570, 580, 590}, 'nvidia/cuda:13.2, the environment of a vLLM image'),
}
# Brands without forward compatibility: docs.nvidia.com, forward compatibility ("data center GPUs, select
# NGC-ready RTX"), and each GeForce of the samples. Those of workstations: 804 with R460 in 2021
# (rapidsai/cusignal#398); the notes from 575 on name brands 1, 12 and 13; between these, not known.
CONSUMER = ('GeForce', 'TITAN')
WORKSTATION, WORKSTATION_NOTE = ('Quadro', 'RTX'), 575
# Compute capability below which a branch finds no GPU: cuInit answers 100 (google/jax#15961, a K80 with
# 520; Kepler ended with R470, docs.nvidia.com/datacenter/tesla/drivers).
LEAST_SEEN = ((495, 5.0),)
# Below which it initialises and makes no context: JuliaGPU/CUDA.jl#2940, JuliaPackaging/Yggdrasil#14178.
LEAST_USED = ((590, 7.5),)
CC = {'Tesla V100': 7.0}  # where a case does not say
# The CUDA of a branch: CUDA release notes.
CUDA = {
    384: 9.0, 390: 9.1, 396: 9.2, 410: 10.0, 418: 10.1, 430: 10.1, 440: 10.2, 450: 11.0, 455: 11.1,
    460: 11.2, 465: 11.3, 470: 11.4, 495: 11.5, 510: 11.6, 515: 11.7, 520: 11.8, 525: 12.0,
    530: 12.1, 535: 12.2, 545: 12.3, 550: 12.4, 555: 12.5, 560: 12.6, 565: 12.7, 570: 12.8,
    575: 12.9, 580: 13.0, 590: 13.1, 595: 13.2, 610: 13.3, 615: 13.4,
}
# The oldest driver that runs a toolkit of a major: docs.nvidia.com, minor version compatibility.
LEAST_DRIVER = {11: (450, 80, 2), 12: (525, 60, 13), 13: (580,)}
# Jetson: CUDA by the kernel module's version, JetPack release notes (5.1: 35.x; 6.0: 540.2 and 540.3;
# 6.1 on: 540.4; Thor: 580).
TEGRA = (('35', 11.4), ('36', 12.6), ('540.2', 12.2), ('540.3', 12.2), ('540', 12.6), ('580', 13.0))

# What becomes of a program. Every other word is the answer it ends with.
RUNS, MINOR, OPEN = 'runs', '222 possible', 'not known'
FAILS = 'fails'  # with no number named


def version(text):
    return tuple(int(p) for p in text.split('.'))


def brand(model):
    name = model.removeprefix('NVIDIA ')
    if name.startswith(CONSUMER):
        return 'consumer'
    return 'workstation' if name.startswith(WORKSTATION) else 'data centre'


def visible(case):
    """By index in PCI order; without an order, or without a list, all of them."""
    gpus = list(zip(case.gpus, case.cc, strict=True))
    if case.visible == '-' or case.extra.get('order') != 'PCI_BUS_ID':
        return gpus
    return [gpus[int(i)] for i in case.visible.split(',')]


def capability(model, cc):
    known = (number for name, number in CC.items() if model.startswith(name))
    return float(cc) if cc != '-' else next(known)


def accepted(user, kernel):
    """Whether the branch of the compat driver accepts the kernel driver's; None: not known."""
    kind, branches, _ = FORWARD.get(user[0], ('', (), ''))
    if kernel[0] in branches:
        return True
    return False if kind == 'note' else None


def least(table, user):
    return next((cc for branch, cc in table if user[0] >= branch), 0)


def model(case, file):
    """What cuInit of that file answers there: "0", a number, "context" (0, and no context can be
    made), FAILS, or None, not known."""
    if case.platform == 'none':
        return '100'
    if file == 'compat' and case.stub:
        return '34'
    if file == 'host':
        # Another version than the module's: upgraded and not loaded yet, tensorflow/tensorflow#4349.
        return '0' if case.platform != '-' or version(case.host) == version(case.kmd) else '803'
    if case.platform in ('wsl', 'tegra'):
        return FAILS  # a driver for /dev/nvidiactl; Fooocus#2626, nvidia-container-toolkit#1690
    kernel, user = version(case.kmd), version(case.compat)
    if user == kernel:
        return '0'
    if user < kernel:
        return '803'
    gpus = visible(case)
    brands = {brand(name) for name, _ in gpus}
    if 'consumer' in brands:
        return '803' if accepted(user, kernel) is False else '804'
    lowest = min(capability(name, cc) for name, cc in gpus)
    if lowest < least(LEAST_SEEN, user):
        return '100'
    takes = accepted(user, kernel)
    if not takes:
        return None if takes is None else '803'
    if 'workstation' in brands and user[0] < WORKSTATION_NOTE:
        return None
    return 'context' if lowest < least(LEAST_USED, user) else '0'


def cuda_of(case, file):
    """The CUDA of a file; None: not known."""
    if case.platform == 'wsl' or getattr(case, file) == '-' or (file == 'compat' and case.stub):
        return None
    if case.platform == 'tegra' and file == 'host':
        return next(cuda for start, cuda in TEGRA if case.kmd.startswith(start))
    return CUDA[version(getattr(case, file))[0]]


def cu_init(case, file):
    """What a child's cuInit of the file answers: as seen, else as modelled."""
    seen, modelled = case.seen.get(file), model(case, file)
    if seen is None:
        return modelled
    if seen == '?':
        return None
    if seen == 'no':
        return modelled if modelled not in ('0', None) else FAILS
    # These come after a cuInit that answered 0.
    return '0' if seen in ('0', '35', '36', '200', '222', 'symbol', 'context') else seen


def by_documents(case, file):
    answer = model(case, file)
    if answer is None:
        return OPEN
    if answer != '0':
        return answer
    has, needs = cuda_of(case, file), case.toolkit
    if needs is None or has is None or has >= needs:
        return RUNS
    if case.platform == 'tegra':
        return OPEN
    major = int(needs)
    if major != int(has) or major not in LEAST_DRIVER:
        return '35'
    return MINOR if version(getattr(case, file)) >= LEAST_DRIVER[major] else '35'


def outcome(case, file):
    """What becomes of the case's program with that file, and whether a report saw it; images that declare that
    they run have declarations in place of reports."""
    if file == OPEN:
        return OPEN, False
    seen = case.seen.get(file)
    if seen:
        return {'0': RUNS, '?': OPEN, 'no': FAILS}.get(seen, seen), case.sample != 4
    if file == 'none' or getattr(case, file) == '-':
        return 'nothing loaded', False
    return by_documents(case, file), False


def grade(word):
    return {RUNS: 3, MINOR: 2, OPEN: 1}.get(word, 0)


def compared(case):
    """(file, what a report saw, what the model is sure of), where the two speak of the same thing. A
    function that is missing, 222, 999 and the like come after what the model speaks of."""
    for file, seen in case.seen.items():
        if file == 'none' or seen not in ('0', '35', '100', '803', '804', 'no'):
            continue
        ours = by_documents(case, file)
        if ours != OPEN:
            yield file, seen, ours


def contradicts(case):
    """A line for each answer that a report saw where the model is sure of the opposite."""
    for file, seen, ours in compared(case):
        if (grade(ours) >= 2) != (seen == '0'):
            yield '%s: %s answered %s, the model says %s' % (case.id, file, seen, ours)


def later_minor(case):
    """Whether the program is of a later minor CUDA than the host's driver has."""
    return case.toolkit is not None and case.platform == '-' and case.host != '-' and \
        int(case.toolkit) == int(cuda_of(case, 'host')) and case.toolkit > cuda_of(case, 'host')
