#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cuarbiter code --list` beside NVIDIA's cuobjdump, on real files of wheels from PyPI: every entry that
cuobjdump lists is listed alike. TAP.

    real.py [--table] [--all] [--from FOLDER]
    --table   the rows of docs/evidence/code.md on standard output instead
    --all     every file of EVERY and WHEELS, gigabytes, in place of a few of WHEELS
    --from    wheels that lie there are not fetched

What cuobjdump does not list is counted apart: it reads no section but .nv_fatbin and __nv_relfatbin,
and calls sm_100f sm_100. A wheel is fetched, read and removed again; at most one lies on the disk."""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../fixtures'))
from built import COMMAND

FROM = sys.argv[sys.argv.index('--from') + 1] if '--from' in sys.argv else None
CUOBJDUMP = 'nvidia-cuda-cuobjdump==13.5.37'
# That one knows nothing older than sm_50 and stops at some files of CUDA 12.0 to 12.2: this wheel has CUDA 12.4's.
OLDER = 'triton==3.1.0'
# Wheel, and which of its files.
WHEELS = [
    ('bitsandbytes==0.50.2', ['libbitsandbytes_cuda118.so', 'libbitsandbytes_cuda128.so',
                              'libbitsandbytes_cuda132.so']),
    ('torchvision==0.29.2', ['_C_stable.so']),
    ('xformers==0.0.35', ['_C.so']),
    ('vllm==0.11.2', ['_vllm_fa2_C.abi3.so', '_moe_C.abi3.so']),
    ('cupy-cuda12x==14.2.0', ['cub.cpython-.*.so', 'thrust.cpython-.*.so', '_generator_api.cpython-.*.so']),
    ('nvidia-nccl-cu12==2.32.3', ['libnccl.so.2']),
    ('nvidia-cusparselt-cu12==0.8.1', ['libcusparseLt.so.0']),
    ('nvidia-cublas==13.10.0.20', ['libcublas.so.13', 'libcublasLt.so.13']),
    ('nvidia-cusparse==12.6.3.3', ['libcusparse.so.12']),
    ('nvidia-curand-cu11==10.3.0.86', ['libcurand.so.10']),
]
# Releases from CUDA 10.1 to 13.4, all their files.
EVERY = ['cupy-cuda102==12.3.0', 'cupy-cuda11x==13.6.0', 'cupy-cuda13x==14.2.0', 'torch==2.8.0',
         'paddlepaddle-gpu==2.6.2', 'mxnet-cu112==1.9.1', 'spconv-cu120==2.3.6', 'jax-cuda13-pjrt==0.12.0.1',
         'triton==3.4.0', 'triton==3.1.0', 'warp-lang==1.19.0', 'bitsandbytes==0.50.2', 'tensorflow==2.3.0',
         'onnxruntime-gpu==1.23.0', 'nvidia-cufft-cu12==11.4.1.4', 'nvidia-npp-cu12==12.4.1.87',
         'nvidia-nccl-cu11==2.19.3', 'nvidia-nccl-cu12==2.27.3', 'nvidia-nccl-cu13==2.32.3',
         'nvidia-curand-cu11==10.3.0.86', 'nvidia-curand-cu12==10.3.10.19', 'nvidia-curand==10.4.5.25',
         'nvidia-cusolver-cu12==11.7.5.82', 'nvidia-cudnn-cu12==9.10.2.21', 'nvidia-cublas-cu12==12.9.3.13',
         'nvidia-cuda-cupti-cu12==12.8.90', 'nvidia-npp==13.2.0.93', 'nvidia-cufft==12.5.0.14',
         'flashinfer-cubin==0.6.13']
# Of a wheel's binaries, which is each of 15,970 cubins in flashinfer's: every so many.
EACH = {'flashinfer-cubin==0.6.13': 500}


def fetch(package, folder):
    """The wheel's path, or None."""
    name, version = package.split('==')
    for here in glob.glob(os.path.join(FROM, '%s-%s-*.whl' % (name.replace('-', '_'), version))) if FROM else []:
        os.makedirs(folder, exist_ok=True)
        os.symlink(os.path.abspath(here), os.path.join(folder, os.path.basename(here)))
        return os.path.join(folder, os.path.basename(here))
    words = [sys.executable, '-m', 'pip', 'download', '-q', '--no-deps', '--only-binary', ':all:', '-d', folder]
    for glibc in ('2_35', '2_34', '2_31', '2_28', '2_27', '2_24', '2_17'):
        words += ['--platform', 'manylinux_%s_x86_64' % glibc]
    words += ['--platform', 'manylinux2014_x86_64', '--platform', 'manylinux2010_x86_64', '--platform', 'manylinux1_x86_64',
              package]
    for python in ('3.11', '3.12', '3.10', '3.8'):
        subprocess.run([*words, '--python-version', python], stderr=subprocess.DEVNULL, timeout=900, check=False)
        found = glob.glob(os.path.join(folder, '*.whl'))
        if found:
            return found[0]
    return None


def of_cuobjdump(tools, path):
    """What the tool lists that lists most, the next one where one stops; and whether all of them stopped."""
    most, stopped = collections.Counter(), True
    for tool in tools:
        entries, ended = collections.Counter(), True
        for flag in ('-lelf', '-lptx'):
            done = subprocess.run([tool, '-all', flag, path], capture_output=True, text=True, check=False)
            ended = ended and ' fatal ' not in done.stderr
            for kind, sm in re.findall(r'^(ELF|PTX) file +\d+: .*\.sm_(\d+a?)f?\.(?:cubin|ptx)$', done.stdout, re.M):
                entries[kind.lower(), sm] += 1
        most = max(most, entries, key=lambda e: sum(e.values()))
        if ended:
            stopped = False
            break
    return most, stopped


def of_command(path):
    said = subprocess.run([COMMAND, 'code', '--json', '--list', '--cc', '9.0', '--cuda', '12.4', path],
                          capture_output=True, text=True, check=False).stdout
    files = json.loads(said)['files']
    return collections.Counter((e['kind'], e['sm'].rstrip('f')) for e in files[0]['entries']) if files else \
        collections.Counter()


def skip(why):
    """Ends with 0: to meson any other status is an error of a program that speaks TAP."""
    print('1..0 # SKIP ' + why)
    sys.exit(1 if os.environ.get('CUARBITER_MUST_RUN') == '1' else 0)


def main():
    table, every = '--table' in sys.argv, '--all' in sys.argv
    count = failed = seen = wheels = entries = 0
    if os.environ.get('CUARBITER_OFFLINE') == '1' or os.uname().machine != 'x86_64':
        skip('wheels are fetched from PyPI, for x86_64')
    with tempfile.TemporaryDirectory(prefix='cuarbiter-test.') as folder:
        tools = []
        for package in [CUOBJDUMP] + ([OLDER] if every else []):
            place = os.path.join(folder, 'tools', package)
            wheel = fetch(package, place)
            if not wheel:
                skip('cannot fetch %s' % package)
            archive = zipfile.ZipFile(wheel)
            tools += [archive.extract(n, place) for n in archive.namelist() if n.endswith('/bin/cuobjdump')]
            os.chmod(tools[-1], 0o755)
            os.remove(wheel)
        for package, patterns in [(p, ['.*\\.so.*', '.*\\.cubin', '.*\\.fatbin'])
                                  for p in dict.fromkeys(EVERY + [w[0] for w in WHEELS])] if every else WHEELS:
            place = os.path.join(folder, package)
            wheel = fetch(package, place)
            if not wheel:
                print('# skipped: cannot fetch ' + package)
                continue
            before = seen
            archive = zipfile.ZipFile(wheel)
            names = [n for n in sorted(archive.namelist()) if not n.endswith('/')]
            for name in names[::EACH.get(package, 1)]:
                if not any(re.fullmatch(p if every else p.replace('.', r'\.').replace(r'\.*', '.*'), os.path.basename(name))
                           for p in patterns):
                    continue
                path = archive.extract(name, place)
                (theirs, stopped), ours = of_cuobjdump(tools, path), of_command(path)
                os.remove(path)
                if stopped and every:
                    print('# cuobjdump stops within ' + os.path.basename(name))
                if every and not theirs and not ours:
                    continue
                entries += sum(theirs.values())
                missed, more = sum((theirs - ours).values()), sum((ours - theirs).values())
                seen += 1
                count += 1
                failed += missed != 0
                if table:
                    print('| %s | `%s` | %d | %d | %d |' % (package, os.path.basename(name), sum(theirs.values()),
                                                       missed, more))
                else:
                    print('%sok %d - %s, %s: all of %d entries, and %d that cuobjdump does not list' % (
                        'not ' if missed else '', count, package, os.path.basename(name), sum(theirs.values()), more))
                    print(''.join('#   missed: %s sm_%s, %d times\n' % (*k, n)
                                  for k, n in (theirs - ours).items()), end='')
            wheels += seen > before
            archive.close()
            os.remove(wheel)
    if not table:
        count += 1
        least = (102, 22) if every else (12, 6)
        good = seen >= least[0] and wheels >= least[1]
        failed += not good
        print('%sok %d - %d files of %d wheels, %d entries: at least %d of %d\n1..%d' % (
            '' if good else 'not ', count, seen, wheels, entries, *least, count))
    sys.exit(1 if failed else 0)


main()
