#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cuarbiter code` on files made for it: what each module is for a GPU and a driver, the JSON, the exit
codes, and what its options name. TAP."""
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../fixtures'))
from built import COMMAND, FIXTURES, TREE
from made import (ELF, EXACT, FAMILY, LTO, LZ4, OTHER, PTX, ZSTD, cubin, entry, fatbin, library, ptx,
                  sections, wrappers)

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


def test_modules():
    sass = lambda sm, flags=0: entry(ELF, sm, (1, 8), flags)
    ends('compiled code of the GPU runs', [sass(90)], 'serve')
    ends('of an earlier minor too', [sass(80)], 'serve', cc='8.6')
    ends('of a later minor not', [sass(86)], '209', cc='8.0')
    ends('of another major not', [sass(80)], '209')
    ends('sm_90a is for 9.0', [sass(90, EXACT)], 'serve')
    ends('sm_100a is not for 10.3', [sass(100, EXACT)], '209', cc='10.3')
    ends('sm_100f is', [sass(100, FAMILY)], 'serve', cc='10.3')
    ends('sm_100f is not for 12.0', [sass(100, FAMILY)], '209', cc='12.0')
    ends('binaries of 8.6 are not for Orin', [sass(86)], '209', cc='8.7')
    ends("Orin's are not for 8.9", [sass(87)], '209', cc='8.9')
    ends("Orin's are for Orin", [sass(87)], 'serve', cc='8.7')
    ends('PTX of an earlier GPU is compiled', [entry(PTX, 50, (8, 4))], 'serve')
    ends('PTX of a later GPU not', [entry(PTX, 100, (8, 4))], '209')
    ends('PTX of sm_90a is for 9.0 alone', [entry(PTX, 90, (8, 4), EXACT)], '209', cc='10.0')
    ends('PTX of sm_100f is for its family', [entry(PTX, 100, (8, 4), FAMILY)], '209', cc='12.0')
    ends('PTX newer than the driver ends in 222', [entry(PTX, 80, (8, 5))], '222')
    ends('PTX that is too new for another GPU is 209', [entry(PTX, 100, (8, 8), EXACT)], '209')
    ends('beside compiled code it does not matter', [sass(90), entry(PTX, 80, (8, 8))], 'serve')
    ends('nor beside older PTX', [entry(PTX, 80, (8, 8)), entry(PTX, 80, (8, 4))], 'serve')
    ends('zstd ends in 200 before CUDA 12.4', [sass(80, ZSTD)], '200', cc='8.0', cuda='12.3')
    ends('and is unpacked from then on', [sass(80, ZSTD)], 'serve', cc='8.0', cuda='12.4')
    ends('PTX too', [entry(PTX, 80, (8, 0), ZSTD)], '200', cuda='12.2')
    ends('LZ4 is unpacked by all', [sass(80, LZ4)], 'serve', cc='8.0', cuda='11.0')
    ends('PTX that is too new and packed so: 222', [entry(PTX, 80, (8, 7), ZSTD)], '222', cuda='12.2')
    ends('a packed binary beside good PTX is not known', [sass(90, ZSTD), entry(PTX, 80)], 'unknown',
         cuda='12.2')
    ends('a kind that nobody knows', [entry(OTHER, 90)], 'unknown')
    ends('beside compiled code it does not matter either', [entry(OTHER, 90), sass(90)], 'serve')
    ends('a packing that nobody knows', [entry(ELF, 90, (1, 8), 0x10000)[:16] + b'\x08\0\0\0' +
                                         entry(ELF, 90, (1, 8), 0x10000)[20:]], 'unknown')
    ends('no GPU named and none here: not known', [sass(90)], 'unknown', cc=None)
    ends('no driver: PTX is not known', [entry(PTX, 80)], 'unknown', cuda=None)
    ends('no driver: compiled code runs', [sass(90)], 'serve', cuda=None)
    ends('PTX above a table row that proves nothing', [entry(PTX, 80, (12, 0))], 'unknown', cuda='19.9')
    ends('a flag that nobody knows', [entry(ELF, 90, (1, 8), 0x40000000)], 'unknown')
    check('LTO, which nvJitLink reads, is no module', look(library(fatbin(entry(LTO, 90))))['modules'], 0)
    check('PTX without a kernel is no module',
          look(library(fatbin(entry(PTX, 90, (9, 9), payload=bytes(80)))))['modules'], 0)


def test_verdicts():
    run9, late, none = entry(ELF, 90), entry(PTX, 80, (8, 7)), entry(ELF, 80)
    zstd = entry(ELF, 90, (1, 8), ZSTD)
    for name, modules, more, wanted in [
            ('all run', [run9, run9], {}, ('nothing', 2, {}, 0)),
            ('a GPU left out of one is none against it', [run9, none], {}, ('nothing', 1, {'209': 1}, 0)),
            ('left out of all', [none], {}, ('209', 0, {'209': 1}, 0)),
            ('some end in 222', [run9, late], {}, ('partial', 1, {'222': 1}, 1)),
            ('none serves, some in 222', [none, late], {}, ('222', 0, {'222': 1, '209': 1}, 1)),
            ('none serves, most in 200', [zstd, zstd, late], {'cuda': '12.2'},
             ('200', 0, {'222': 1, '200': 2}, 1)),
            ('some not known', [run9, entry(OTHER, 1)], {}, ('unknown', 1, {}, 3))]:
        got = look(library(*map(fatbin, modules)), **more)
        check('verdict: ' + name, (got['verdict'], got['serve'], got['fails'], got['code']), wanted)


def test_files():
    good = fatbin(entry(ELF, 90))
    check('.rodata is searched', look(library(good, name='.rodata'))['serve'], 1)
    check('a section of any name is', look(library(good, name='.cask_resource'))['serve'], 1)
    check('.data is', look(library(b'\0' * 4 + good, name='.data.rel.ro'))['serve'], 1)
    for headers, far, wanted in (True, 15, 1), (True, 17, 0), (False, 17, 1):
        check('behind %d MiB of other data%s' % (far, '' if headers else ', without section headers'),
              look(library(bytes(far << 20) + good, name='.data', headers=headers))['serve'], wanted)
    check('.text is not', 'serve' in look(library(good, name='.text')) and
          look(library(good, name='.text'))['modules'], 0)
    check('without section headers its segments are', look(library(good, headers=False))['serve'], 1)
    linked = sections(('__nv_relfatbin', good * 3), ('.nv_fatbin', good))
    check('what device linking read counts beside what it made', look(linked)['modules'], 1)
    check('and is listed', len(look(linked, more=['--list'])['entries']), 4)
    old = fatbin(entry(ELF, 52))
    beside = sections(('__nv_relfatbin', fatbin(entry(ELF, 52), entry(PTX, 52, (7, 8)))), ('.nv_fatbin', old))
    check('device-linked for another GPU, with PTX beside it: not known', look(beside)['verdict'], 'unknown')
    check('without PTX beside it: nothing for this GPU',
          look(sections(('__nv_relfatbin', old), ('.nv_fatbin', old)))['verdict'], '209')
    check('in an object file it counts', look(library(good, name='__nv_relfatbin', kind=1))['modules'], 1)
    check('a program is a file like others', look(library(good, kind=2), name='program')['serve'], 1)
    check('a loose .fatbin', look(good, name='a.fatbin')['serve'], 1)
    check('whatever it is called', look(good, name='blob')['serve'], 1)
    check('a .ptx', look(ptx('8.5', 'sm_80'), name='a.ptx')['fails'], {'222': 1})
    check('a .ptx of sm_90a', look(ptx('8.0', 'sm_90a, debug'), '10.0', name='a.ptx')['fails'], {'209': 1})
    check('a .ptx that is none', look(b'hello', name='a.ptx')['verdict'], 'unknown')
    check('a cubin before ABI 8', look(cubin(0x560556, 7), '8.6', name='a.cubin')['serve'], 1)
    check('an sm_90a of it', look(cubin(0x5a0d5a, 7), '9.0', name='a.cubin', more=['--list'])['entries'][0]['sm'],
          '90a')
    check('a cubin of ABI 8', look(cubin(0x6006402, 8), '10.3', name='a.cubin')['serve'], 1)
    check('an sm_100a of it', look(cubin(0x600640a, 8), '10.3', name='a.cubin')['fails'], {'209': 1})
    check('no GPU code in a named file: nothing found', look(sections(('.text', b'x')))['verdict'], 'nothing')
    done = run('--cc', '9.0', '--cuda', '12.4', write('notes.txt', b'text'))
    check('a file of another kind is not known', (done.returncode, done.stderr, done.stdout.splitlines()[1]),
          (3, '', 'unknown %s: neither ELF nor .fatbin, .cubin or .ptx' % os.path.realpath('notes.txt')))
    for name, data in ('app.whl', b'PK\3\4' + bytes(60)), ('lib.a', b'!<arch>\n'):
        done = run('--cc', '9.0', '--cuda', '12.4', write(name, data))
        check(name + ' has to be unpacked', (done.returncode, 'found against' in done.stdout, 'unpack it' in done.stdout),
              (3, False, True))
    text = run('--cc', '9.0', '--cuda', '12.4', write('plain.so', sections(('.text', b'x')))).stdout
    check('in words: there is none', text.splitlines()[1:],
          ['nothing %s: there is no GPU code in it' % os.path.realpath('plain.so')])
    text = run(write('plain.so', sections(('.text', b'x'))), root=NOWHERE).stdout
    check('what is not known here has its options named', text.splitlines()[0],
          'GPU not known (name one by --gpu or --cc), CUDA not known (name a driver by --kmd, --cuda or --libcuda)')
    release = b'Cuda compilation tools, release %d.%d,\0Cuda compilation tools, release 12.9, V12.9.86\0'
    got = look(sections(('.rodata', bytes(5000) + release + bytes(99))), name='libnvrtc.so.12')
    check('a compiler is a note', (got['verdict'], got.get('compiler'), got['code']), ('nothing', '12.9', 0))
    text = run('--cc', '9.0', '--cuda', '12.4', 'libnvrtc.so.12').stdout
    check('with what its PTX meets', 'CUDA 12.9: its PTX 8.8 ends in 222' in text, True)
    check('no compiler by another name',
          look(sections(('.rodata', release)), name='libother.so').get('compiler'), None)
    got = look(library(fatbin(entry(ELF, 90, flags=LZ4), entry(PTX, 100, (8, 7), FAMILY | ZSTD))), more=['--list'])
    check('--list has every entry', got['entries'],
          [{'kind': 'elf', 'sm': '90', 'version': None, 'packed': 'lz4'},
           {'kind': 'ptx', 'sm': '100f', 'version': '8.7', 'packed': 'zstd'}])


def test_ahead():
    """What wrappers name is asked for before anything of it is read, and whatever they say is a hint."""
    one = fatbin(entry(ELF, 90, payload=bytes(40000)), entry(PTX, 80, (8, 7)))
    heads = [128, 128 + len(one), 128 + 2 * len(one)]
    for name, addresses in [('wrappers', heads), ('wrappers of nothing', [0, 1 << 40, (1 << 64) - 8])]:
        got = look(sections(('.nv_fatbin', one * 3), ('.nvFatBinSegment', wrappers(*addresses))))
        check(name, (got['modules'], got['serve'], got['verdict']), (3, 3, 'nothing'))
    write('ahead.so', sections(('.nv_fatbin', one * 3), ('.nvFatBinSegment', wrappers(*heads))))
    run('--cc', '9.0', '--cuda', '12.4', 'ahead.so', under=['strace', '-o', 'asked', '-e', 'fadvise64,pread64'])
    with open('asked', encoding='utf-8') as asked:
        lines = asked.read().splitlines()
    ahead = [int(line.split(', ')[1]) for line in lines if 'WILLNEED' in line]
    check('heads and second entries are asked for', ahead, heads + [at + 64 + 40000 for at in heads])
    first = next(i for i, line in enumerate(lines) if 'WILLNEED' in line)
    check('before they are read', [line for line in lines[:first] if line.endswith(', %d) = 256' % heads[0])], [])


def test_tree():
    late = library(fatbin(entry(PTX, 80, (8, 8))))
    write('tree/b/good.so', library(fatbin(entry(ELF, 90))))
    write('tree/a/late.so', late)
    write('tree/a/plain.so', sections(('.text', b'x')))
    write('tree/readme', b'text')
    os.symlink('late.so', 'tree/a/link.so')
    os.symlink('..', 'tree/a/up')
    os.mkfifo('tree/pipe')
    done = run('--cc', '9.0', '--cuda', '12.4', '--json', 'tree')
    check('a folder: what has GPU code, the worst first, links not followed',
          [os.path.basename(f['path']) for f in json.loads(done.stdout)['files']], ['late.so', 'good.so'])
    check('exit 1 for a module in 222', done.returncode, 1)
    text = run('--cc', '9.0', '--cuda', '12.4', 'tree').stdout.splitlines()
    check('a line a file, a head, and what would help', len(text), 4)
    check('which driver takes all of it', text[3].startswith('What would help: a driver of CUDA 12.9 (575 or later); '),
          True)
    check('what is not found is nothing found against it, never more',
          ['nothing found against it' in text[2], 'works' in ''.join(text)], [True, False])
    check('a file that is not there', run('--cc', '9.0', '--cuda', '12.4', 'tree/none').returncode, 3)
    write('left-out.so', library(fatbin(entry(ELF, 80))))
    done = run('--cc', '9.0', '--cuda', '12.4', 'left-out.so', 'tree/b')
    check('a file with nothing for this GPU is named, and no failure', (done.returncode, done.stdout.splitlines()[3]),
          (0, 'What would help: a build for compute capability 9.0'))
    check('one beside a bad one: the bad one counts',
          run('--cc', '9.0', '--cuda', '12.4', 'tree/none', 'tree').returncode, 1)
    deep = 'tree/'
    for _ in range(300):
        deep += 'd/'
        os.mkdir(deep)
    with open(deep + 'late.so', 'wb') as file:
        file.write(late)
    done = run('--cc', '9.0', '--cuda', '12.4', '--json', 'tree/d')
    check('a deep folder', len(json.loads(done.stdout)['files']), 1)
    if os.getuid() != 0:
        os.chmod('tree/b', 0)
        check('a folder that may not be read', run('--cc', '9.0', '--cuda', '12.4', 'tree/b').returncode, 3)
        os.chmod('tree/b', 0o755)


def test_options():
    write('late.so', library(fatbin(entry(PTX, 80, (8, 3))), fatbin(entry(ELF, 89))))
    for name, words in [('no path', []), ('two GPUs', ['--gpu', 'T4', '--cc', '8.0', '.']),
                        ('two drivers', ['--kmd', '535.54.03', '--cuda', '12.2', '.']),
                        ('no capability', ['--cc', 'x', '.']), ('no CUDA', ['--cuda', '12', '.']),
                        ('no driver', ['--kmd', 'new', '.']), ('no libcuda', ['--libcuda', 'late.so', '.']),
                        ('no such libcuda', ['--libcuda', 'none', '.']),
                        ('no root', ['--sysroot', 'none', '/'])]:
        done = run(*words)
        check('usage: ' + name, (done.returncode, done.stdout), (2, ''))
    root = os.path.abspath('root')
    subprocess.run([os.path.join(TREE, 'tests/fixtures/fake/make-root'), root, '--kmd', '535.54.03',
                    '--host-umd', '535.54.03', '--gpu', 'NVIDIA L4'], check=True, capture_output=True)
    write('root/app/late.so', library(fatbin(entry(PTX, 80, (8, 3)))))
    os.symlink('/app', 'root/application')
    done = run('--json', '--sysroot', root, '--kmd', '535.54.03', '--gpu', 'L4', '/application')
    said = json.loads(done.stdout)
    check('--sysroot with --kmd and --gpu: the driver that status chooses',
          (said['gpu'], said['driver'], done.returncode), ({'cc': '8.9'}, {'cuda': '12.2', 'ptx': '8.2'}, 1))
    check('and paths inside of it', [f['path'] for f in said['files']], ['/app/late.so'])
    compiler = os.path.join(os.path.dirname(glob.glob('root/usr/lib/*/libcuda.so.1')[0]),
                            'libnvidia-ptxjitcompiler.so.1')
    write(compiler, sections(('.rodata', b'Cuda compilation tools, release 12.3, V12.3.9\0' + bytes(9))))
    text = run('--sysroot', root, '--kmd', '535.54.03', '--gpu', 'L4', '/application').stdout
    check("the driver's own compiler is asked before a table",
          ('PTX up to 8.3 by its own compiler' in text, 'nothing /app/late.so' in text), (True, True))
    os.remove(compiler)
    said = json.loads(subprocess.run([COMMAND, 'code', '--json', 'late.so'], capture_output=True, text=True,
                                     env=dict(env, CUARBITER_SYSROOT=root), check=False).stdout)
    check("without options this machine's GPU and verdict", (said['gpu'], said['driver']),
          ({'cc': '8.9'}, {'cuda': '12.2', 'ptx': '8.2'}))
    check('and paths of this system', (said['files'][0]['serve'], said['files'][0]['fails']), (1, {'222': 1}))


def test_lacks():
    """Functions that a file imports from libcuda, bound at once or later, and that a libcuda lacks."""
    root = os.path.abspath('lacks')
    subprocess.run([os.path.join(TREE, 'tests/fixtures/fake/make-root'), root, '--kmd', '535.54.03',
                    '--host-umd', '535.54.03', '--gpu', 'NVIDIA L4'], check=True, capture_output=True)
    libcuda = glob.glob(root + '/usr/lib/*/libcuda.so.1')[0]
    source = ('extern int cuInit(unsigned), cuLaterThing(int), cuFileOpen(void), cudaFree(void *);'
              'extern int cuWeakThing(void) __attribute__((weak));'
              'int f(void) { return cuInit(0) + cuLaterThing(1) + cuFileOpen() + cudaFree(0) + (cuWeakThing ? cuWeakThing() : 0); }')
    build = ['gcc', '-shared', '-fPIC', '-x', 'c', '-', '-x', 'none', '-Wl,--no-as-needed']
    for name, words, wanted in [('lazy', ['-Wl,-z,lazy', libcuda], 'cuLaterThing'),
                                ('now', ['-Wl,-z,now', libcuda], 'cuLaterThing'),
                                ('unrelated', [], None)]:
        subprocess.run([*build, *words, '-o', 'lacks-%s.so' % name], input=source, text=True, check=True)
        said = json.loads(run('--json', '--cc', '8.9', '--libcuda', libcuda, 'lacks-%s.so' % name).stdout)
        check('what libcuda lacks: ' + name, said['files'][0]['lacks'], wanted)
    run('--cc', '8.9', '--libcuda', libcuda, 'lacks-now.so', under=['strace', '-f', '-o', 'closes', '-e', 'close'])
    with open('closes', encoding='utf-8') as closes:
        check('each descriptor is closed once', 'EBADF' in closes.read(), False)
    check('in words', '; imports what this libcuda lacks: cuLaterThing\n' in
          run('--cc', '8.9', '--libcuda', libcuda, 'lacks-now.so').stdout, True)


if not os.path.exists(os.path.join(FIXTURES, 'built')):
    sys.exit('%s: nothing is built' % sys.argv[0])
for test in (test_modules, test_verdicts, test_files, test_ahead, test_tree, test_options, test_lacks):
    test()
print('1..%d' % count)
sys.exit(1 if failed else 0)
