# SPDX-License-Identifier: Apache-2.0
"""What the tests of `cuarbiter code` stand on: a folder of their own, the command in it, and their lines."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../fixtures'))
from built import COMMAND, FIXTURES, TREE
from made import fatbin, library

count = failed = 0
folder = tempfile.TemporaryDirectory(prefix='cuarbiter-test.')
os.chdir(folder.name)
NOWHERE = os.path.join(folder.name, 'nowhere')  # the root of a machine without GPU and driver
os.mkdir(NOWHERE)
env = {k: v for k, v in os.environ.items() if not k.startswith(('CUARBITER_', 'CUDA_', 'LD_'))}


def check(name, got, wanted):
    global count, failed
    count += 1
    good = got == wanted
    failed += not good
    print('%sok %d - %s' % ('' if good else 'not ', count, name))
    if not good:
        print('#   got %r\n#   wanted %r' % (got, wanted))


def write(name, data):
    if os.path.dirname(name):
        os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, 'wb') as file:
        file.write(data)
    return name


def run(*words, under=(), root=None):
    return subprocess.run([*under, COMMAND, 'code', *words], capture_output=True, text=True, check=False,
                          env=dict(env, CUARBITER_SYSROOT=root) if root else env)


def look(data, cc='9.0', cuda='12.4', name='file.so', more=()):
    """The first file's object, and the exit code in it. What is not named is not here either."""
    words = (['--cc', cc] if cc else []) + (['--cuda', cuda] if cuda else [])
    done = run('--json', *words, *more, write(name, data), root=None if cc and cuda else NOWHERE)
    files = json.loads(done.stdout)['files']
    return dict(files[0], code=done.returncode) if files else {'code': done.returncode}


def ends(name, module, wanted, **more):
    """How the one module of a library ends: serve, 222, 200, 209 or unknown."""
    got = look(library(fatbin(*module)), **more)
    said = 'serve' if got['serve'] else next(iter(got['fails']), 'unknown')
    check(name, (got['modules'], said), (1, wanted))


def linked(name, needs=(), soname=None, containers=()):
    """A real shared library that needs others, with GPU code that it registers."""
    for library in needs:
        if not os.path.exists(library):
            subprocess.run(['gcc', '-shared', '-nostdlib', '-Wl,-soname,' + library, '-o', library, '-x', 'c',
                            '/dev/null'], check=True)
    subprocess.run(['gcc', '-shared', '-nostdlib', '-Wl,--no-as-needed', '-o', name, '-x', 'c', '/dev/null', '-x',
                    'none', *('./' + n for n in needs), *(['-Wl,-soname,' + soname] if soname else [])], check=True)
    if containers:
        write('code.bin', b''.join(containers))
        subprocess.run(['objcopy', '--add-section', '.nv_fatbin=code.bin', '--set-section-flags',
                        '.nv_fatbin=alloc,readonly,data', name], check=True, capture_output=True)
    with open(name, 'rb') as file:
        return file.read()


def finish(*tests):
    if not os.path.exists(os.path.join(FIXTURES, 'built')):
        sys.exit('%s: nothing is built' % sys.argv[0])
    for test in tests:
        test()
    print('1..%d' % count)
    sys.exit(1 if failed else 0)
