#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cuarbiter code` on wheels, zips, tars and saved images. TAP."""
import gzip
import io
import json
import os
import struct
import subprocess
import tarfile
import zipfile

from harness import check, finish, linked, run, write
from made import ELF, LZ4, PTX, cubin, entry, fatbin, library, ptx, sections


def tar(files, mode='w'):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return data.getvalue()


def wheel(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, 'w', zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return data.getvalue()


def test_archives():
    """Wheels, zips, tars and the layers of images are read where they lie, as if they were unpacked; each entry
    of them too."""
    words = ['--cc', '9.0', '--cuda', '12.4', '--json', '--list']
    big = entry(ELF, 90, (1, 8), LZ4 | 0x1000000, payload=b'ptxas\0release 12.8,' + bytes(3 << 20))
    many = library(*[fatbin(big, entry(PTX, 80, (8, 7)))] * 3, fatbin(entry(ELF, 80)),
                   fatbin(entry(PTX, 80, (8, 7), payload=bytes(100000))))
    release = b'\0Cuda compilation tools, release 12.9, V12.9.86\0'
    files = [('a/many.so', many), ('a/late.ptx', ptx('8.5', 'sm_80')), ('a/chip.cubin', cubin(0x6005a02, 8)),
             ('a/blob.fatbin', fatbin(big)), ('a/libnvrtc.so.12', sections(('.rodata', bytes(3 << 20) + release + bytes(99)))),
             ('a/none.so', sections(('.text', b'x'))), ('a/text', b'text'),
             ('a/needs.so', linked('needs.so', ['libcudart.so.13'])), ('a/cut.so', many[:-70])]
    for name, data in files:
        write('plain/' + name, data)
    plain = {os.path.relpath(f['path'], os.path.realpath('plain')): dict(f, path=None, package=None)
             for f in json.loads(run(*words, 'plain').stdout)['files']}
    check('unpacked: what there is to compare with', (len(plain), sum(len(f['entries']) for f in plain.values())), (7, 19))
    layer = tar(files)
    image = [('manifest.json', b'[]'), ('blobs/sha256/0123', tar(files, 'w:gz')), ('repositories', b'{}')]
    for name, data in [('app-1.0-py3-none-any.whl', wheel(files)), ('app.zip', wheel(files)), ('app.tar', layer),
                       ('app.tar.gz', tar(files, 'w:gz')), ('app.tar.xz', tar(files, 'w:xz')),
                       ('saved.tar', tar([('abc/layer.tar', layer), ('abc/json', b'{}')])), ('oci.tar', tar(image))]:
        write('archives/' + name, data)
        done = run(*words, 'archives/' + name)
        if 'not here' in done.stderr:
            print('# skipped: ' + done.stderr.strip())
            return
        got = {'a/' + f['path'].split('/a/')[-1]: dict(f, path=None, package=None)
               for f in json.loads(done.stdout)['files']}
        check(name + ' as unpacked', (got, done.returncode, done.stderr), (plain, 1, ''))
    os.makedirs('layout/blobs/sha256')
    write('layout/blobs/sha256/0123', tar(files, 'w:gz'))
    check('an OCI layout', len(json.loads(run(*words, 'layout').stdout)['files']), 7)
    said = json.loads(run(*words, 'archives').stdout)
    check('a folder of them, each on its own', [len(said['packages']), len(said['files'])], [7, 49])
    text = run('--cc', '9.0', '--cuda', '12.4', '--ignore', '*.ptx', 'archives/app.zip').stdout.splitlines()
    check('a line for an archive', text[1].split(': ')[:2],
          ['35      ' + os.path.realpath('archives/app.zip'), '1 of 6 files get 35, 2 of 6 files get part, '
           'of 12 code modules 8 can run; needs.so'])
    done = run(*words, write('cut.whl', wheel(files)[:-5000]))
    check('a cut one is damaged', (done.returncode in (1, 3), 'cut.whl: ' in done.stderr), (True, True))
    write('left.tar', tar([('libs/a.so', library(fatbin(entry(ELF, 90))))]))
    check('one that is fine', run(*words, 'left.tar').returncode, 0)
    run(*words, 'archives/app.zip', under=['strace', '-f', '-o', 'opened', '-e', 'open,openat,creat,mkdir'])
    with open('opened', encoding='utf-8') as opened:
        check('nothing is unpacked', [line for line in opened if 'O_CREAT' in line or 'mkdir' in line], [])
    source = ('#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <string.h>\nvoid *dlopen(const char *n, int f) {'
              'return n && strstr(n, "libarchive") ? 0 : ((void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen"))(n, f); }')
    subprocess.run(['gcc', '-shared', '-fPIC', '-x', 'c', '-', '-o', 'without.so', '-ldl'], input=source, text=True, check=True)
    done = run(*words, 'archives', under=['env', 'LD_PRELOAD=' + os.path.abspath('without.so')])
    check('without libarchive one line names the package', (done.returncode, done.stderr.count('\n'),
                                                             'install libarchive13' in done.stderr), (3, 1, True))


def test_executable_segments():
    """GPU code in a segment of the host's code, which is not kept otherwise."""
    words = ['--cc', '9.0', '--cuda', '12.4', '--json', '--list']
    good, old = fatbin(entry(ELF, 90), entry(PTX, 80, (8, 7), payload=bytes(100000))), fatbin(entry(ELF, 80))
    from_, code = 5 << 19, bytes(range(1, 256)) * (3 << 12)
    for name, more in ('sections', {}), ('segments alone', {'headers': False}):
        data = sections(('.text', code), ('.rodata', good + code + old), ('.init', code), **more)
        data = data[:68] + struct.pack('<IQQQQ', 5, from_, from_, from_, len(data) - from_) + data[104:]
        write('far/far.so', data)
        write('far.zip', wheel([('far.so', data)]))
        plain, got = ([dict(f, path=None, package=None) for f in json.loads(run(*words, path).stdout)['files']]
                      for path in ('far', 'far.zip'))
        check('an executable segment, %s: what there is to compare with' % name, [f['modules'] for f in plain], [2])
        check('an executable segment, %s: as unpacked' % name, got, plain)
    run(*words, 'far.zip', under=['strace', '-f', '-o', 'written', '-e', 'pwrite64'])
    with open('written', encoding='utf-8', errors='replace') as written:
        sizes = [int(line.split('= ')[-1]) for line in written if 'pwrite64' in line]
    check('and what is no GPU code in it is not kept', sum(sizes) < from_ + 20000, True)


def test_hostile():
    """What is damaged is not clean, costs little memory, and keeps nobody from what lies beside it."""
    words = ['--cc', '9.0', '--cuda', '12.4', '--json']
    good = library(fatbin(entry(ELF, 90)))
    # A sanitizer's runtime needs more for itself.
    bounded = [] if 'ASAN_OPTIONS' in os.environ else ['sh', '-c', 'ulimit -d 20000; exec "$@"', 'sh']

    def see(name, data, files, said, code=3):
        done = run(*words, write(name, data), under=bounded)
        got = [os.path.basename(f['path']) for f in json.loads(done.stdout)['files']]
        check(name, (got, said in done.stderr, done.returncode), (files, True, code))
    whole = wheel([('a.so', good), ('b.so', good)])
    see('cut.zip', whole[:-40], ['a.so', 'b.so'], 'cut.zip: it is truncated: the directory at its end is missing')
    wrong = bytearray(whole)
    wrong[40:44] = bytes([7] * 4)
    locked = bytearray(whole)
    for start, flags in (b'PK\3\4', 6), (b'PK\1\2', 8):
        locked[whole.index(start) + flags] |= 1
    see('locked.zip', bytes(locked), [], 'locked.zip: a file in it is damaged or encrypted')
    see('wrong.zip', bytes(wrong), [], 'wrong.zip: a file in it is damaged')
    run(*words, write('whole.zip', whole))
    done = run(*words, 'whole.zip', under=['strace', '-f', '-o', '/dev/null', '-e', 'inject=memfd_create:error=ENOSYS'])
    check('a system without memfd_create', (done.returncode, done.stderr),
          (3, 'cuarbiter: %s: cannot be unpacked: this system does not allow memfd_create\n' % os.path.realpath('whole.zip')))
    text = tar([('usr/share/doc/a/changelog.gz', gzip.compress(b'text' * 500)), ('usr/lib/a.so', good)])
    see('doc.tar', tar([('abc/layer.tar', text)]), ['a.so'], '', 0)
    see('blobs.tar', tar([('blobs/sha256/' + '0' * 64, text)]), ['a.so'], '', 0)
    layer = tar([('a.so', good), ('test/bad.zip', b'PK\3\4' + bytes(range(200))), ('b.so', good)])
    see('inner.tar', tar([('abc/layer.tar', layer)]), ['a.so', 'b.so'], 'inner.tar: an archive in it is damaged')
    deep = good
    for _ in range(6):
        deep = tar([('deep.tar', deep)])
    see('deep.tar', deep, [], 'deep.tar: it contains archives that are nested too deeply')
    see('wheels.zip', wheel([('x.whl', whole)]), ['a.so', 'b.so'], '', 0)
    with open('hole.whl', 'wb') as file:
        file.write(b'PK\3\4')
        file.truncate(50 << 30)
    done = run(*words, 'hole.whl', under=['timeout', '10'])
    check('hole.whl', (done.returncode, 'nothing in its last 64 MiB' in done.stderr), (3, True))
    write('both/a.whl', whole[:300])
    write('both/b.whl', whole[:300])
    check('each damaged one is named', run(*words, 'both').stderr.count('damaged'), 2)
    with zipfile.ZipFile('zeros.whl', 'w', zipfile.ZIP_DEFLATED) as archive, archive.open('a.so', 'w') as file:
        file.write(good + bytes(200 << 20))
    run(*words, 'zeros.whl', under=['strace', '-f', '-o', 'written', '-e', 'pwrite64'])
    with open('written', encoding='utf-8', errors='replace') as written:
        check('zeros take no memory', sum('pwrite64' in line for line in written) < 20, True)


finish(test_archives, test_executable_segments, test_hostile)
