# SPDX-License-Identifier: Apache-2.0
"""How others choose a libcuda: each function restates what the file named does, and takes nothing from
it. It answers "host", "compat", "none", or "not known" where it depends on an answer of cuInit that
nobody knows. docs/evidence/score.md says in whose layout each is judged."""
from truth import CUDA, FORWARD, OPEN, cu_init, cuda_of, version

USABLE = ('0', 'context')  # cuInit answers 0; contexts are not tried


def older(case):
    """The kernel driver's major number below the compat driver's, as the runtimes compare them."""
    return not case.stub and version(case.kmd)[0] < version(case.compat)[0]


def listed(case):
    """The branches in the compat driver's own note, where that of a file of its branch is known."""
    kind, branches, _ = FORWARD.get(0 if case.stub else version(case.compat)[0], ('', (), ''))
    return sorted(branches) if kind == 'note' else []


def if_usable(case, otherwise):
    """The compat driver if a child's cuInit of it answers 0."""
    if case.compat == '-':
        return case.reported if case.reported == 'none' else otherwise
    answer = cu_init(case, 'compat')
    return OPEN if answer is None else 'compat' if answer in USABLE else otherwise


def bare(case):
    """What the report saw, hook and entry point included."""
    return case.reported


def removed(case):
    """`rm -rf /usr/local/cuda/compat && ldconfig` when the image is built (VIAME/VIAME#273)."""
    return case.reported if case.layout == 'other' else 'host'


def always_host(_case):
    """The host's file, whatever the program's search would find."""
    return 'host'


def before_hook(case):
    """What a hook starts from; NGC's images keep their entry point."""
    return case.image if case.layout == 'compat' else case.reported


def hooked(case):
    """Whether NVIDIA's hook and libnvidia-container find the compat driver; ld.so.conf.d moves no RPATH."""
    return case.layout == 'compat' and case.compat != '-'


def hook_117(case):
    """NVIDIA/nvidia-container-toolkit v1.17.9, cmd/nvidia-cdi-hook/cudacompat/cudacompat.go: the
    folder goes first in ld.so.conf.d if the compat's major is above the host's."""
    if case.platform != '-' or not hooked(case):
        return before_hook(case)
    return 'compat' if older(case) else before_hook(case)


def hook_120(case):
    """The same of v1.20.0, with cuda-elf-header.go: if the compat has a note, the host's major must
    be in it and the host's version below; without one the majors."""
    if case.platform != '-' or not hooked(case):
        return before_hook(case)
    kernel, user = version(case.kmd), version(case.compat)
    if listed(case):
        return 'compat' if kernel[0] in listed(case) and user > kernel else before_hook(case)
    return 'compat' if older(case) else before_hook(case)


def libnvidia_container(case):
    """NVIDIA/libnvidia-container 1.17, src/cli/compat_mode.c. Mode mount (and all before 1.17.4): compat
    files of another major are mounted beside the host's, and ldconfig links libcuda.so.1 to the newest;
    mode ldconfig, the toolkit's default since 1.17.7: only files of a higher major."""
    if case.platform != '-' or not hooked(case):
        return before_hook(case)
    return 'compat' if older(case) else before_hook(case)


def ngc_entry_point(case):
    """/etc/shinit_v2 and /usr/local/bin/cudaCheck of NGC images (25.x), in their layout: compat/lib.real
    goes first in LD_LIBRARY_PATH if its cuInit answers 0 in a child; else it is on no path."""
    return if_usable(case, 'host')


def vast_boot(case):
    """vast-ai/base-image 63935b2, ROOT/etc/vast_boot.d/05-configure-cuda.sh: every compat entry is taken
    out of ld.so.conf and LD_LIBRARY_PATH; the newest toolkit's folder is put back if that toolkit is
    newer than what nvidia-smi reports and its cuInit answers 0 in a child."""
    if case.compat == '-':
        return if_usable(case, 'host')
    system = cuda_of(case, 'host')
    toolkit = case.toolkit or cuda_of(case, 'compat') or 0
    return if_usable(case, 'host') if system is None or toolkit > system else 'host'


def probe(case):
    """The first whose cuInit answers 0 in a child: the loader's, the host's, the bundled one."""
    for file in dict.fromkeys((case.reported, 'host', 'compat')):
        if file == 'none' or getattr(case, file) == '-':
            continue
        answer = cu_init(case, file)
        if answer is None:
            return OPEN
        if answer in USABLE:
            return file
    return case.reported


def auto_compat(case):
    """chuckatkins/cuda-autocompat a74c620, src/search/search.cxx: of the toolkits' compat folders,
    then the search path, the first with the highest cuDriverGetVersion that has nvvm,
    ptxjitcompiler and cudadebugger beside it (the debugger came with 510)."""
    if case.platform != '-':
        return case.reported
    found = ['compat'] if case.layout in ('compat', 'rpath') else []
    best = None
    for file in dict.fromkeys((*found, case.reported, 'host')):
        if file == 'none' or getattr(case, file) == '-' or (file == 'compat' and case.stub) or \
                version(getattr(case, file))[0] < 510:
            continue
        if best is None or cuda_of(case, file) > cuda_of(case, best):
            best = file
    return best or case.reported


def julia_before(case):
    """JuliaPackaging/Yggdrasil, C/CUDA/CUDA_Driver/init.jl before #14178: the compat if a child's
    cuInit of it answers 0. (Julia brings its own compat driver; here it is the case's.)"""
    return if_usable(case, 'host')


def julia_since(case):
    """The same from #14178 on: also its CUDA above the system's, and every visible compute
    capability supported."""
    if case.compat == '-' or cu_init(case, 'compat') not in ('0', None):
        return 'host' if case.reported != 'none' else 'none'
    system = cuda_of(case, 'host')
    if system is not None and cuda_of(case, 'compat') <= system:
        return 'host'
    return if_usable(case, 'host')


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


def lmod(case):
    """ComputeCanada/software-stack-config a5e60d8, lmod/SitePackage.lua: native if the driver is
    the toolkit's or newer, else compat by a table, else the module does not load."""
    if case.platform != '-' or case.toolkit is None:
        return case.reported
    kernel = version(case.kmd)
    if case.toolkit in LMOD_LEAST and kernel >= version(LMOD_LEAST[case.toolkit]):
        return 'host'
    if case.compat != '-' and LMOD_MOST.get(kernel[0], 0) >= case.toolkit:
        return 'compat'
    return 'none'


def home_made(case):
    """NVIDIA-NeMo/labs-molt#44, its docker-entrypoint.sh: the compat goes first in LD_LIBRARY_PATH
    if the driver's major is below the one that its CUDA came with (there 580)."""
    if case.platform != '-' or case.layout != 'compat' or case.compat == '-' or case.toolkit is None:
        return case.reported
    came = min(b for b, cuda in CUDA.items() if cuda >= case.toolkit)
    return 'compat' if version(case.kmd)[0] < came else case.image


# Name in the tables, function.
STRATEGIES = (
    ('as reported', bare),
    ('`rm -rf compat && ldconfig`', removed),
    ('always the host', always_host),
    ('NVIDIA Container Toolkit\'s hook, 1.17', hook_117),
    ('NVIDIA Container Toolkit\'s hook, 1.20', hook_120),
    ('libnvidia-container, mode mount or ldconfig', libnvidia_container),
    ('NGC\'s entry point, in NGC\'s layout', ngc_entry_point),
    ('vast.ai\'s boot script, in its image', vast_boot),
    ('cuInit probe, the loader\'s file first', probe),
    ('CUDA Auto-Compat', auto_compat),
    ('Julia\'s CUDA_Driver, before 2026-07', julia_before),
    ('Julia\'s CUDA_Driver, since', julia_since),
    ('ComputeCanada\'s Lmod table', lmod),
    ('an entry point that compares versions', home_made),
)
