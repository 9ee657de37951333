# SPDX-License-Identifier: Apache-2.0
"""How others choose a libcuda: each function restates what the file named does, and takes nothing
from it. `default` is what ld.so takes in the image as it is, and so what is left where a strategy
changes nothing; the answer is "native", "compat" or "none"."""
from truth import ACCEPTED, CUDA, cu_init, cuda_of, version

COMPAT = '/usr/local/cuda/compat'


def in_compat_folder(case):
    return case.compat != '-' and case.extra.get('compat', COMPAT) == COMPAT


def older(case):
    """The kernel driver's major number below the compat driver's, as the runtimes compare them."""
    return version(case.kmd)[0] < version(case.compat)[0]


def listed(case):
    """The branches in the compat driver's own note; [] without one. 575.57.08 has it; whether older
    files do is not known."""
    branch = version(case.compat)[0] if case.platform == '-' and case.compat != '-' else 0
    return sorted(ACCEPTED[branch] | {branch}) if branch >= 575 else []


def bare(_case, default):
    """ld.so alone."""
    return default


def removed(case, default):
    """`rm -rf /usr/local/cuda/compat && ldconfig` when the image is built (VIAME/VIAME#273)."""
    return 'native' if in_compat_folder(case) else default


def hook_117(case, default):
    """NVIDIA/nvidia-container-toolkit v1.17.9, cmd/nvidia-cdi-hook/cudacompat/cudacompat.go: the
    folder goes first in ld.so.conf.d if the compat's major is above the host's."""
    if case.platform != '-' or not in_compat_folder(case):  # not injected on Jetson
        return default
    return 'compat' if older(case) else default


def hook_120(case, default):
    """The same of v1.20.0, with cuda-elf-header.go: if the compat has a note, the host's major must
    be in it and the host's version below; without one the majors. Jetson: the CUDA of the note."""
    if case.platform in ('wsl', 'other') or not in_compat_folder(case):
        return default
    if case.platform == 'tegra':
        return 'compat' if cuda_of(case, 'compat') > cuda_of(case, 'native') else default
    kernel, user = version(case.kmd), version(case.compat)
    if listed(case):
        return 'compat' if kernel[0] in listed(case) and user > kernel else default
    return 'compat' if older(case) else default


def mode_mount(case, default):
    """NVIDIA/libnvidia-container 1.17, src/cli/compat_mode.c, --cuda-compat-mode=mount, and all
    before 1.17.4: compat files of another major are mounted beside the host's, where ldconfig links
    libcuda.so.1 to the newest of them."""
    if case.platform != '-' or not in_compat_folder(case):
        return default
    return 'compat' if older(case) else default


def mode_ldconfig(case, default):
    """The same, --cuda-compat-mode=ldconfig, the toolkit's default since 1.17.7: only files of a
    higher major, and their folder goes first."""
    return mode_mount(case, default)


def ngc_entry_point(case, default):
    """/etc/shinit_v2 and /usr/local/bin/cudaCheck of NGC images (25.x): the compat goes first in
    LD_LIBRARY_PATH if its cuInit answers 0 in a child; contexts are not tried."""
    if not in_compat_folder(case):
        return default
    return 'compat' if cu_init(case, 'compat') in ('0', 'no context') else default


def auto_compat(case, default):
    """chuckatkins/cuda-autocompat a74c620, src/search/search.cxx: of the toolkits' compat folders,
    then the search path, the first with the highest cuDriverGetVersion that has nvvm,
    ptxjitcompiler and cudadebugger beside it."""
    found = []
    if in_compat_folder(case) and case.platform == '-':
        found.append('compat')
    found += [f for f in (default, 'native') if f not in found and f != 'none']
    best = None
    for file in found:
        if case.platform != '-':
            return default
        if getattr(case, file) == '-' or version(getattr(case, file))[0] < 510:
            continue  # libcudadebugger came with 510
        if best is None or CUDA[version(getattr(case, file))[0]] > CUDA[version(getattr(
                case, best))[0]]:
            best = file
    return best or default


def julia_before(case, default):
    """JuliaPackaging/Yggdrasil, C/CUDA/CUDA_Driver/init.jl before #14178: the compat if a child's
    cuInit of it answers 0. (Julia brings its own compat driver; here it is the case's.)"""
    if case.compat == '-' or case.platform != '-':
        return default
    return 'compat' if cu_init(case, 'compat') in ('0', 'no context') else default


def julia_since(case, default):
    """The same from #14178 on: also its CUDA above the system's, and every visible compute
    capability supported."""
    if case.compat == '-' or case.platform != '-' or cu_init(case, 'compat') != '0':
        return default
    if default in ('native', 'compat') and cuda_of(case, 'compat') <= cuda_of(case, default):
        return default
    return 'compat'


# lmod/SitePackage.lua at a5e60d8.
LMOD_LEAST = {
    10.0: '410.48', 10.1: '418.39', 10.2: '440.33', 11.0: '450.51.06', 11.1: '455.32',
    11.2: '460.32.03', 11.3: '465.19.01', 11.4: '470.57.02', 11.5: '495.29.05', 11.6: '510.47.03',
    11.7: '515.43.04', 11.8: '520.61.05', 12.0: '525.60.13', 12.1: '530.30.02', 12.2: '535.54.03',
    12.3: '545.23.06', 12.4: '550.54.14', 12.5: '555.42.02', 12.6: '560.28.03', 12.8: '570.26',
    12.9: '575.51.03', 9.0: '384.81', 9.1: '390.46', 9.2: '396.26',
}
LMOD_MOST = {
    418: 11.6, 440: 11.4, 450: 12.2, 460: 11.6, 470: 12.6, 510: 12.1, 515: 12.1, 525: 12.3,
    535: 13.0, 550: 12.9, 570: 13.0,
}


def lmod(case, default):
    """ComputeCanada/software-stack-config a5e60d8, lmod/SitePackage.lua: native if the driver is
    the toolkit's or newer, else compat by a table, else the module does not load."""
    if case.platform != '-' or case.toolkit == '-':
        return default
    toolkit, kernel = float(case.toolkit), version(case.kmd)
    if toolkit in LMOD_LEAST and kernel >= version(LMOD_LEAST[toolkit]):
        return 'native'
    if case.compat != '-' and LMOD_MOST.get(kernel[0], 0) >= toolkit:
        return 'compat'
    return 'none'


def home_made(case, default):
    """NVIDIA-NeMo/labs-molt#44, its docker-entrypoint.sh: the compat goes first in LD_LIBRARY_PATH
    if the driver's major is below the one that its CUDA came with (there 580)."""
    if case.platform != '-' or not in_compat_folder(case) or case.toolkit == '-':
        return default
    came = min(b for b, cuda in CUDA.items() if cuda >= float(case.toolkit))
    return 'compat' if version(case.kmd)[0] < came else default


# Name in the table, function, whether it is itself what the container runtime does.
STRATEGIES = (
    ('nothing: the loader\'s choice', bare, False),
    ('`rm -rf compat && ldconfig`', removed, False),
    ('NVIDIA Container Toolkit\'s hook, 1.17', hook_117, True),
    ('NVIDIA Container Toolkit\'s hook, 1.20', hook_120, True),
    ('libnvidia-container, mode mount', mode_mount, True),
    ('libnvidia-container, mode ldconfig', mode_ldconfig, True),
    ('NGC\'s entry point', ngc_entry_point, False),
    ('CUDA Auto-Compat', auto_compat, False),
    ('Julia\'s CUDA_Driver, before 2026-07', julia_before, False),
    ('Julia\'s CUDA_Driver, since', julia_since, False),
    ('ComputeCanada\'s Lmod table', lmod, False),
    ('an entry point of one\'s own', home_made, False),
)
