#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cuarbiter code --list` beside NVIDIA's cuobjdump, on real files of wheels from PyPI: every entry that
cuobjdump lists is listed alike. TAP.

    real.py [--table]     --table: the rows of docs/code.md on standard output instead

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

CUOBJDUMP = 'nvidia-cuda-cuobjdump==13.5.37'
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


def fetch(package, folder):
    """The wheel's path, or None."""
    words = [sys.executable, '-m', 'pip', 'download', '-q', '--no-deps', '--only-binary', ':all:', '-d', folder]
    for glibc in ('2_28', '2_27', '2_24', '2_17'):
        words += ['--platform', 'manylinux_%s_x86_64' % glibc]
    words += ['--platform', 'manylinux2014_x86_64', '--python-version', '3.11', package]
    subprocess.run(words, stderr=subprocess.DEVNULL, timeout=900, check=False)
    found = glob.glob(os.path.join(folder, '*.whl'))
    return found[0] if found else None


def of_cuobjdump(tool, path):
    entries = collections.Counter()
    for flag in ('-lelf', '-lptx'):
        said = subprocess.run([tool, '-all', flag, path], capture_output=True, text=True, check=False).stdout
        for kind, sm in re.findall(r'^(ELF|PTX) file +\d+: .*\.sm_(\d+a?)f?\.(?:cubin|ptx)$', said, re.M):
            entries[kind.lower(), sm] += 1
    return entries


def of_command(path):
    said = subprocess.run([COMMAND, 'code', '--json', '--list', '--cc', '9.0', '--cuda', '12.4', path],
                          capture_output=True, text=True, check=False).stdout
    files = json.loads(said)['files']
    return collections.Counter((e['kind'], e['sm'].rstrip('f')) for e in files[0]['entries'])


def skip(why):
    print('1..0 # SKIP ' + why)
    sys.exit(1 if os.environ.get('CUARBITER_MUST_RUN') == '1' else 77)


def main():
    table, count, failed, seen, wheels = '--table' in sys.argv, 0, 0, 0, 0
    if os.environ.get('CUARBITER_OFFLINE') == '1' or os.uname().machine != 'x86_64':
        skip('wheels are fetched from PyPI, for x86_64')
    with tempfile.TemporaryDirectory(prefix='cuarbiter-test.') as folder:
        wheel = fetch(CUOBJDUMP, folder)
        if not wheel:
            skip('cannot fetch %s' % CUOBJDUMP)
        zipfile.ZipFile(wheel).extractall(folder)
        tool = glob.glob(folder + '/**/cuobjdump', recursive=True)[0]
        os.chmod(tool, 0o755)
        for package, patterns in WHEELS:
            place = os.path.join(folder, package)
            wheel = fetch(package, place)
            if not wheel:
                print('# skipped: cannot fetch ' + package)
                continue
            wheels += 1
            archive = zipfile.ZipFile(wheel)
            for name in archive.namelist():
                if not any(re.fullmatch(p.replace('.', r'\.').replace(r'\.*', '.*'), os.path.basename(name))
                           for p in patterns):
                    continue
                path = archive.extract(name, place)
                theirs, ours = of_cuobjdump(tool, path), of_command(path)
                os.remove(path)
                missed, more = sum((theirs - ours).values()), sum((ours - theirs).values())
                seen += 1
                count += 1
                failed += missed != 0
                if table:
                    print('| %s | `%s` | %d | %d | %d |' % (package, os.path.basename(name), sum(theirs.values()),
                                                       missed, more))
                else:
                    print('%sok %d - %s: all of %d entries, and %d that cuobjdump does not list' % (
                        'not ' if missed else '', count, os.path.basename(name), sum(theirs.values()), more))
                    print(''.join('#   missed: %s sm_%s, %d times\n' % (*k, n)
                                  for k, n in (theirs - ours).items()), end='')
            archive.close()
            os.remove(wheel)
    if not table:
        count += 1
        good = seen >= 12 and wheels >= 6
        failed += not good
        print('%sok %d - %d files of %d wheels: at least 12 of 6\n1..%d' % (
            '' if good else 'not ', count, seen, wheels, count))
    sys.exit(1 if failed else 0)


main()
