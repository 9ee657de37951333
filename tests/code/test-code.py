#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cuarbiter code` on files made for it: what each module is for a GPU and a driver, the JSON, the exit
codes, and what its options name. TAP."""
import glob
import json
import os
import struct
import subprocess
import zipfile

from harness import COMMAND, NOWHERE, TREE, check, ends, env, finish, linked, look, run, write
from made import (ELF, EXACT, FAMILY, LTO, LZ4, OTHER, PTX, ZSTD, cubin, entry, fatbin, library, ptx,
                  sections, wrappers)


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
            ('all run', [run9, run9], {}, ('ok?', 2, {}, 0)),
            ('a GPU left out of one', [run9, none], {}, ('ok?', 1, {'209': 1}, 0)),
            ('left out of all', [none], {}, ('209', 0, {'209': 1}, 1)),
            ('some end in 222', [run9, late], {}, ('part', 1, {'222': 1}, 1)),
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
    check('no GPU code in a named file: nothing found', look(sections(('.text', b'x')))['verdict'], 'ok?')
    done = run('--cc', '9.0', '--cuda', '12.4', write('notes.txt', b'text'))
    check('a file of another kind is not known', (done.returncode, done.stderr, done.stdout.splitlines()[1]),
          (3, '', 'unknown %s: neither ELF nor .fatbin, .cubin or .ptx' % os.path.realpath('notes.txt')))
    text = run('--cc', '9.0', '--cuda', '12.4', write('plain.so', sections(('.text', b'x')))).stdout
    check('in words: there is none', text.splitlines()[1:2],
          ['ok?     %s: there is no GPU code in it' % os.path.realpath('plain.so')])
    text = run(write('plain.so', sections(('.text', b'x'))), root=NOWHERE).stdout
    check('what is not known here has its options named', text.splitlines()[0],
          'GPU not known (name one by --gpu or --cc), CUDA not known (name a driver by --kmd, --cuda or --libcuda)')
    done = run(write('known.ptx', ptx('8.5', 'sm_80')), root=NOWHERE)
    check('no GPU and no driver: exit code 3, as the help says',
          (done.returncode, '3: the GPU or the driver is not known' in ' '.join(run('--help').stdout.split())),
          (3, True))
    release = b'Cuda compilation tools, release %d.%d,\0Cuda compilation tools, release 12.9, V12.9.86\0'
    got = look(sections(('.rodata', bytes(5000) + release + bytes(99))), name='libnvrtc.so.12')
    check('a compiler is a note', (got['verdict'], got.get('compiler'), got['code']), ('ok?', '12.9', 0))
    text = run('--cc', '9.0', '--cuda', '12.4', 'libnvrtc.so.12').stdout
    check('with what its PTX meets', 'PTX that a program makes with it is of version 8.8 and fails with 222' in text, True)
    new = write('new.so', library(fatbin(entry(PTX, 90, (9, 4)))))
    text = run('--cc', '9.0', '--cuda', '13.3', new).stdout
    check('PTX of CUDA 13.4 on a driver of 13.3', ('PTX up to 9.3' in text, text.splitlines()[1][:3]),
          (True, '222'))
    check('on one of 13.4', run('--cc', '9.0', '--cuda', '13.4', new).stdout.splitlines()[1][:7], 'ok?    ')
    text = run('--cc', '9.0', '--cuda', '13.5', new, 'libnvrtc.so.12').stdout
    check('a driver later than the table has no limit',
          ('newer than cuarbiter\'s table of PTX versions, which ends with 9.4' in text, 'up to' in text, '222' in text),
          (True, False, False))
    check('nor in JSON', json.loads(run('--cc', '9.0', '--cuda', '13.5', '--json', new).stdout)['driver']['ptx'], None)
    check('one that is linked in, by what it says of itself',
          look(sections(('.rodata', release)), name='libother.so').get('compiler'), '12.9')
    text = run('--cc', '9.0', '--cuda', '12.4', 'libother.so').stdout
    check('in words', 'it contains a compiler of CUDA 12.9: PTX that' in text, True)
    note = b'nvlink\0' + release[39:] + b'ptxas\0' + release[39:]
    check('the note of a binary is no compiler',
          look(sections(('.rodata', note)), name='libother.so').get('compiler'), None)
    for tool in 'ptxas', 'nvlink', 'ptxas-blackwell':
        look(sections(('.rodata', release)), name=tool)
        text = run('--cc', '9.0', '--cuda', '12.4', tool).stdout
        check(tool + ' writes binaries', ('CUDA 12.9, which makes binaries, not PTX' in text, '222' in text), (True, False))
    got = look(library(fatbin(entry(ELF, 90, flags=LZ4), entry(PTX, 100, (8, 7), FAMILY | ZSTD))), more=['--list'])
    check('--list has every entry', got['entries'],
          [{'kind': 'elf', 'sm': '90', 'version': None, 'packed': 'lz4'},
           {'kind': 'ptx', 'sm': '100f', 'version': '8.7', 'packed': 'zstd'}])


def test_runtime():
    """The CUDA that a file's runtime is of, against the driver's: 35, before all else."""
    sass, zstd, ptx9 = entry(ELF, 80), entry(ELF, 80, (1, 8), ZSTD), entry(PTX, 80, (9, 0))
    maker = entry(ELF, 80, (1, 8), LZ4 | 0x1000000, payload=b'\xf0\x10ptxas\0Cuda compilation tools, release 13.1, V' +
                  bytes(900))
    embedded = sections(('.rodata', fatbin(ptx9, sass)))
    for name, data, cuda, wanted in [
            ('libcudart.so.12 on CUDA 11.4', linked('a.so', ['libcudart.so.12'], None, [fatbin(sass)]), '11.4', '35'),
            ('on CUDA 12.0', linked('a.so', ['libcudart.so.12'], None, [fatbin(sass)]), '12.0', 'ok?'),
            ('libcudart.so.11.0 on 11.0', linked('a.so', ['libcudart.so.11.0'], None, [fatbin(sass)]), '11.0', 'ok?'),
            ('libcudart.so.10.2 on 10.1', linked('a.so', ['libcudart.so.10.2'], None, [fatbin(sass)]), '10.1', '35'),
            ('without GPU code too', linked('a.so', ['libcudart.so.13']), '12.9', '35'),
            ('libcufft.so.11 is of CUDA 12', linked('a.so', ['libcufft.so.11'], None, [fatbin(sass)]), '11.8', '35'),
            ('libcufft.so.12 of 13', linked('a.so', ['libcufft.so.12'], None, [fatbin(sass)]), '12.4', '35'),
            ('cuBLAS itself', linked('a.so', [], 'libcublas.so.12', [fatbin(sass)]), '11.8', '35'),
            ('a linked-in cudart, by its PTX', linked('a.so', [], None, [fatbin(sass, ptx9)]), '12.8', '35'),
            ('by its maker', linked('a.so', [], None, [fatbin(maker)]), '12.8', '35'),
            ('by the form of its binaries', linked('a.so', [], None, [fatbin(entry(ELF, 80, (1, 8)))]), '11.8', '35'),
            ('cudart is sure where others are at least', linked('a.so', ['libcudart.so.12'], None, [fatbin(sass, ptx9)]),
             '12.4', 'ok?'),
            ('code that the program itself loads shows nothing', embedded, '12.4', 'ok?'),
            ('35 before 200', linked('a.so', ['libcudart.so.13'], None, [fatbin(zstd)]), '12.2', '35')]:
        got = look(data, '8.0', cuda)
        check('35: ' + name, (got['verdict'], got['code']), (wanted, int(wanted == '35')))
    for library, cuda, wanted in [('libcublas.so.10.0', '10.0', 'ok?'), ('libcublas.so.10.0', '9.2', '35'),
                                  ('libcublas.so.10', '10.0', '35'), ('libcudnn.so.8', '10.1', 'ok?'),
                                  ('libcudnn.so.8', '10.0', '35')]:
        got = look(linked('a.so', [library], None, [fatbin(entry(ELF, 70))]), '7.0', cuda)
        check('35: %s on CUDA %s' % (library, cuda), got['verdict'], wanted)
    text = run('--cc', '7.5', '--cuda', '12.2', write('a.so', linked('a.so', ['libcudart.so.13'], None,
                                                                     [fatbin(entry(PTX, 75, (8, 3)))]))).stdout
    check('35 in words', ': needs a driver with CUDA 13.0 or later (libcudart.so.13); of 1 code modules' in text, True)
    check('what would help fails for no other reason', 'a driver with CUDA 13.0 (branch 580 or later)' in text, True)
    text = run('--cc', '7.0', '--cuda', '12.2', 'a.so').stdout
    check('nor for the GPU', 'a driver with CUDA 13.0 (branches 580 to 580)' in text, True)


def test_gpus():
    """A driver that has dropped the GPU, or does not know it yet."""
    data = library(fatbin(entry(ELF, 120), entry(ELF, 70)))
    for name, cc, driver, wanted in [('12.0 on 550', '12.0', ['--kmd', '550.54.14'], '100'),
                                     ('on 570', '12.0', ['--kmd', '570.26'], 'ok?'),
                                     ('7.0 on 590', '7.0', ['--kmd', '590.44.01'], '100'),
                                     ('on 580', '7.0', ['--kmd', '580.65.06'], 'ok?'),
                                     ('by CUDA alone', '7.0', ['--cuda', '13.1'], '100')]:
        done = run('--json', '--cc', cc, *driver, write('file.so', data))
        said = json.loads(done.stdout)
        check('GPU ' + name, (said['files'][0]['verdict'], done.returncode), (wanted, int(wanted == '100')))
        said = subprocess.run([COMMAND, 'status', '--json', '--gpu', {'7.0': 'V100', '12.0': 'RTX 5090'}[cc], *driver], capture_output=True, text=True,
                              env=env, check=False) if driver[0] == '--kmd' else None
        if said:
            check('status says so', (said.returncode, 'Every program fails with error 100' in said.stdout),
                  (int(wanted == '100'), wanted == '100'))
    text = run('--cc', '7.0', '--kmd', '590.44.01', 'file.so').stdout
    check('in words', ('Every program fails with error 100 (no GPU): driver branch 590 has dropped' in text,
                       text.splitlines()[-1].startswith('What would help: a driver with CUDA ')), (True, True))
    text = run('--cc', '12.0', '--kmd', '550.54.14', write('late.so', library(fatbin(entry(PTX, 90, (8, 7)))))).stdout
    check('where the driver does not know the GPU, no build helps', text.splitlines()[-1],
          'What would help: a driver with CUDA 12.8 (branch 570 or later)')
    text = run('--cc', '1.3', '--kmd', '550.54.14', 'file.so').stdout
    check('a GPU that no driver of the tables knows', (text.splitlines()[1], text.splitlines()[-1]),
          ('Every program fails with error 100 (no GPU): driver branch 550 has dropped GPUs of compute capability 1.3.',
           'What would help: no driver, because none that cuarbiter knows supports this GPU'))


def test_share():
    """209 by modules: what is made for other GPUs on purpose does not count, nor does what is empty."""
    run9, exact = entry(ELF, 90), entry(ELF, 100, (1, 8), EXACT)
    none = entry(ELF, 75) + entry(ELF, 80)
    nothing = entry(ELF, 52, payload=bytes(900))
    for name, data, wanted in [
            ('one of three', library(fatbin(run9), fatbin(none), fatbin(none)), ('part', 1, {'209': 2}, 1)),
            ('one of two', library(fatbin(run9), fatbin(none)), ('ok?', 1, {'209': 1}, 0)),
            ('others are for one capability each', library(fatbin(run9), *[fatbin(entry(ELF, 80))] * 3),
             ('ok?', 1, {'209': 3}, 0)),
            ('or for later ones', library(fatbin(run9), *[fatbin(entry(ELF, 100) + entry(ELF, 120))] * 3),
             ('ok?', 1, {'209': 3}, 0)),
            ('others are for that capability alone', library(fatbin(run9), fatbin(exact)), ('ok?', 1, {'209': 1}, 0)),
            ('what a program loads itself', sections(('.rodata', fatbin(run9) + fatbin(none))),
             ('ok?', 1, {'209': 1}, 0)),
            ('an empty binary of the device link', library(fatbin(nothing)), ('ok?', 0, {}, 0)),
            ('beside code', library(fatbin(nothing), fatbin(run9)), ('ok?', 1, {}, 0))]:
        got = look(data)
        if wanted[0] == 'ok?' and wanted[2]:
            text = run('--cc', '9.0', '--cuda', '12.4', 'file.so').stdout.splitlines()[1]
            check('share, in words: ' + name, (', %d have no code for this GPU (209)' % wanted[2]['209'] in text,
                                               'fail' in text), (True, False))
        check('share: ' + name, (got['verdict'], got['serve'], got['fails'], got['code']), wanted)
    old = fatbin(entry(ELF, 52))
    read = fatbin(entry(ELF, 52), entry(PTX, 52, (7, 8)))
    at = 128 + len(read)  # of .nv_fatbin; sections() lays them out so
    both = sections(('__nv_relfatbin', read), ('.nv_fatbin', old * 3),
                    ('.nvFatBinSegment', wrappers(at, at + len(old)) + wrappers(at + 2 * len(old), version=2)))
    got = look(both)
    check('device-linked modules count for themselves alone', (got['verdict'], got['modules'], got['fails']),
          ('209', 3, {'209': 2}))
    got = look(library(old, old)[:300], name='cut.so')
    check('a file that is cut off is damaged', (got['verdict'], got['code']), ('unknown', 3))
    write('sparse.fatbin', fatbin())
    os.truncate('sparse.fatbin', 200 << 30)
    try:
        done = subprocess.run([COMMAND, 'code', '--cc', '9.0', '--cuda', '12.4', 'sparse.fatbin'], timeout=20,
                              capture_output=True, check=False, env=env).returncode
    except subprocess.TimeoutExpired:
        done = 'no end'
    check('200 GB of nothing', done, 0)
    os.remove('sparse.fatbin')
    write('whole.so', library(fatbin(run9)))
    with open('whole.so', 'rb') as file:
        head = file.read(64)
    check('down to its first 64 bytes', look(head)['verdict'], 'unknown')


def test_trouble():
    """Why a file is not known: of several reasons the one that is true."""
    whole = library(fatbin(entry(ELF, 90)))
    moved = bytearray(whole)
    struct.pack_into('<Q', moved, struct.unpack_from('<Q', whole, 40)[0] + 64 + 32, 1 << 20)
    for name, data, wanted in [
            ('cut off before the end of a segment', whole[:700], 'it is truncated or damaged: its headers lie beyond its end'),
            ('headers that lie nowhere', whole[:40] + struct.pack('<Q', 1 << 40) + whole[48:],
             'it is truncated or damaged: its headers lie beyond its end'),
            ('a section that lies behind the end', bytes(moved), 'it is truncated, or its headers are damaged'),
            ('a .cubin that is cut off', cubin(0x5a055a, 7)[:40] + struct.pack('<Q', 5000) + cubin(0x5a055a, 7)[48:],
             'it is truncated or damaged: its headers lie beyond its end'),
            ('more sections than are read', sections(*[('.x%d' % i, b'') for i in range(16400)], kind=1),
             'it has more ELF sections or segments than cuarbiter reads'),
            ('a .fatbin that is cut off', fatbin(entry(ELF, 90))[:-100],
             'it is truncated: by its header, the GPU code is longer than the file')]:
        got = look(data)
        check('trouble: ' + name, (got['verdict'], got['trouble'], got['code']), ('unknown', wanted, 3))
    text = run(write('file.so', whole), root=NOWHERE).stdout.splitlines()[1]
    check('no GPU here: nothing is said to fail', (': it is not known whether all of its GPU code can run; ' in text, 'cannot run' in text),
          (True, False))
    done = run('--cc', '9.0', '--cuda', '12.4', '/dev/null')
    check('a device', (done.returncode, done.stderr), (3, 'cuarbiter: /dev/null: neither a file nor a folder\n'))
    done = run(*['--cc', '9.0'] * 17, '.')
    check('too many GPUs', (done.returncode, '9.0: pass at most 16 of --gpu and --cc together' in done.stderr), (2, True))


def test_ahead():
    """What wrappers name is asked for before anything of it is read, and whatever they say is a hint."""
    one = fatbin(entry(ELF, 90, payload=bytes(40000)), entry(PTX, 80, (8, 7)))
    heads = [128, 128 + len(one), 128 + 2 * len(one)]
    for name, addresses in [('wrappers', heads), ('wrappers of nothing', [0, 1 << 40, (1 << 64) - 8])]:
        got = look(sections(('.nv_fatbin', one * 3), ('.nvFatBinSegment', wrappers(*addresses))))
        check(name, (got['modules'], got['serve'], got['verdict']), (3, 3, 'ok?'))
    write('ahead.so', sections(('.nv_fatbin', one * 3), ('.nvFatBinSegment', wrappers(*heads))))
    run('--cc', '9.0', '--cuda', '12.4', 'ahead.so', under=['strace', '-o', 'asked', '-e', 'fadvise64,pread64'])
    with open('asked', encoding='utf-8') as asked:
        lines = asked.read().splitlines()
    ahead = [int(line.split(', ')[1]) for line in lines if 'WILLNEED' in line]
    check('heads and second entries are asked for', ahead, heads + [at + 64 + 40000 for at in heads])
    first = next(i for i, line in enumerate(lines) if 'WILLNEED' in line)
    check('before they are read', [line for line in lines[:first] if line.endswith(', %d) = 256' % heads[0])], [])


    write('dense.so', sections(('.ldata', fatbin(entry(ELF, 90)) * 2000)))
    run('--cc', '9.0', '--cuda', '12.4', 'dense.so', under=['strace', '-o', 'asked', '-e', 'fadvise64'])
    with open('asked', encoding='utf-8') as asked:
        ahead = [line for line in asked if 'WILLNEED' in line]
    check('small containers close together are read on, elsewhere too', (len(ahead) >= 2, len(ahead) < 20), (True, True))


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
    text = run('--cc', '9.0', '--cuda', '12.4', '--all', 'tree').stdout.splitlines()
    check('a head, a folder, its files, what they end in, what would help',
          [line.split()[0] for line in text], ['GPU', '222', '222', 'ok?', '222', 'ok?', 'What'])
    check('which driver takes all of it', text[-1].startswith('What would help: a driver with CUDA 12.9 (branch 575 or later); '),
          True)
    check('what is not found is nothing found against it, never more',
          ['no problem found in it' in text[3], 'works' in ''.join(text), 'it is not known which' in text[5]],
          [True, False, True])
    check('errors by the names and messages of programs', text[4],
          '222 is cudaErrorUnsupportedPtxVersion: the provided PTX was compiled with an unsupported toolchain.')
    short = run('--cc', '9.0', '--cuda', '12.4', 'tree').stdout.splitlines()
    check('a line for the folder, without --all none for its files', (len(short), short[1]),
          (len(text) - 2, '222     tree: 1 of 2 files get 222, of 2 code modules 1 can run; late.so: some of its GPU code cannot run'))
    check('a file that is not there', run('--cc', '9.0', '--cuda', '12.4', 'tree/none').returncode, 3)
    write('left-out.so', library(fatbin(entry(ELF, 80))))
    done = run('--cc', '9.0', '--cuda', '12.4', 'left-out.so', 'tree/b')
    check('a file with nothing for this GPU fails', (done.returncode, done.stdout.splitlines()[-1]),
          (1, 'What would help: a build for compute capability 9.0'))
    write('pack/a.so', library(fatbin(entry(ELF, 80))))
    write('pack/b.so', library(fatbin(entry(ELF, 90))))
    words = ['--cc', '9.0', '--cuda', '12.4']
    check('not where another file of the folder serves', run(*words, 'pack').returncode, 0)
    check('but by --fail-on 209', run(*words, '--fail-on', '209', 'pack').returncode, 1)
    check('--fail-on another', run(*words, '--fail-on', '200,35', 'tree').returncode, 0)
    check('--fail-on 222', run(*words, '--fail-on', '200,222', 'tree').returncode, 1)
    write('each/lib_cuda118.so', library(fatbin(entry(ELF, 90), entry(PTX, 90, (7, 8)))))
    write('each/lib_cuda130.so', linked('each.so', ['libcudart.so.13'], None, [fatbin(entry(ELF, 90))]))
    text = run(*words, 'each').stdout.splitlines()[1]
    check('nor where one for each CUDA is there, and one serves', (run(*words, 'each').returncode, text),
          (0, 'ok?     each: 1 of 2 files get 35, but other files can run instead, of 2 code modules 2 can run'))
    write('cut/a.so', late[:700])
    write('cut/b.so', late[:700])
    text = run(*words, 'cut').stdout.splitlines()[1]
    check('GPU code that was not found may be there',
          'cut: 2 of 2 files get unknown, no GPU code was found in its files; ' in text, True)
    for glob in 'late*', '*/a/*':
        check('--ignore ' + glob, run(*words, '--ignore', glob, 'tree').returncode, 0)
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


def test_packages():
    """Files of a package, by its RECORD, have one line; several GPUs and drivers make a table."""
    late, good = library(fatbin(entry(PTX, 80, (8, 8)))), library(fatbin(entry(ELF, 90), entry(ELF, 80)))
    for name, files in [('one-1.2', ['one/a.so', 'one/b.so']), ('two-3', ['two.libs/c.so', 'shared/d.so'])]:
        write('site/%s.dist-info/METADATA' % name, b'Name: x\n')
        write('site/%s.dist-info/RECORD' % name, b''.join(b'%s,sha256=x,9\n' % f.encode() for f in files))
        for file in files:
            write('site/' + file, late if file.endswith('c.so') else good)
    write('site/loose.so', good)
    done = run('--cc', '9.0', '--cuda', '12.4', 'site')
    lines = done.stdout.splitlines()
    check('a line a package', [line.split(':')[0] for line in lines[1:4]],
          ['ok?     one 1.2', 'ok?     %s' % os.path.realpath('site/loose.so'), '222     two 3'])
    said = json.loads(run('--cc', '9.0', '--cuda', '12.4', '--json', 'site').stdout)
    check('in JSON', [(p['package'], p['files'], p['verdicts']) for p in said['packages']],
          [('one 1.2', 2, ['ok?']), ('site', 1, ['ok?']), ('two 3', 2, ['222'])])
    done = run('--cc', '9.0', '--gpu', 'T4', '--cuda', '12.4', '--kmd', '575.51.03', 'site')
    lines = done.stdout.splitlines()
    check('a table: heads', lines[:4], ['A  9.0 (9.0), CUDA 12.4', 'B  9.0 (9.0), 575.51.03',
                                        'C  Tesla T4 (7.5), CUDA 12.4', 'D  Tesla T4 (7.5), 575.51.03'])
    check('and rows', [line.split()[:5] for line in lines[4:8]],
          [['A', 'B', 'C', 'D'], ['ok?', 'ok?', '209', '209', 'one'],
           ['ok?', 'ok?', '209', '209', os.path.realpath('site/loose.so')], ['222', 'ok?', '209', '209', 'two']])
    said = json.loads(run('--cc', '9.0', '--cc', '7.5', '--cuda', '12.4', '--json', 'site/loose.so').stdout)
    check('a table in JSON', ([t['cc'] for t in said['targets']], [t['verdict'] for t in said['files'][0]['targets']]),
          (['9.0', '7.5'], ['ok?', '209']))


def test_judged():
    """What one who knows CUDA found wrong on real wheels, made small."""
    older, later = fatbin(entry(ELF, 50), entry(ELF, 75)), fatbin(entry(ELF, 75), entry(ELF, 80))
    words = ['--cc', '9.0', '--cuda', '12.4']
    write('pack/libjudged.so', linked('judged.so', [], 'libjudged.so', [older] * 3))
    write('pack/fine.so', library(fatbin(entry(ELF, 90), entry(ELF, 80))))
    check('209 of a file that no other needs', run(*words, 'pack').returncode, 0)
    write('pack/user.so', linked('user.so', ['libjudged.so']))
    check('209 of a library that another file needs, beside a file that serves', run(*words, 'pack').returncode, 1)
    got = look(linked('a.so', ['libcufft-80664282.so.12']), '8.0', '12.4')
    check("35 by a library with auditwheel's hash in its name", (got['verdict'], got['cuda']), ('35', '13.0'))
    for count, wanted in (10, ('ok?', 0)), (11, ('part', 1)):
        got = look(library(fatbin(entry(ELF, 70)), *[later] * count), '7.0')
        check('one serves, %d are for later GPUs' % count, (got['verdict'], got['code']), wanted)
    write('few.so', library(fatbin(entry(PTX, 52, (8, 8))), *[later] * 11))
    text = run('--cc', '7.0', '--cuda', '12.4', 'few.so').stdout
    check('one in 222, all others for later GPUs: no driver helps', (text.splitlines()[1][:3], text.splitlines()[-1]),
          ('209', 'What would help: a build for compute capability 7.0'))
    text = run('--cc', '8.0', '--cuda', '12.4', write('most.so', library(fatbin(entry(ELF, 80)), older))).stdout
    check('nothing helps where nothing is found', ('ok? ' in text, 'What would help' in text), (True, False))
    release = bytes(5000) + b'Cuda compilation tools, release 12.9, V12.9.86\0' + bytes(99)
    for name in 'libnvrtc.alt.so.12', 'libnvrtc.so.12':
        write('compilers/' + name, sections(('.rodata', release)))
    text = run(*words, 'compilers').stdout.splitlines()[1]
    check('a package of compilers: what their PTX meets', text.split(': ', 1)[1],
          'no problem found, no GPU code was found in its files; libnvrtc.alt.so.12: it is a compiler of CUDA 12.9: PTX that a '
          'program makes with it is of version 8.8 and fails with 222, because this driver takes PTX up to 8.4')
    beside = sections(('__nv_relfatbin', fatbin(entry(ELF, 52), entry(PTX, 52, (7, 8)))),
                      ('.nv_fatbin', fatbin(entry(ELF, 52))))
    text = run(*words, write('linked.so', beside)).stdout
    check('why a file that device linking made is not known', 'it was device-linked for other GPUs' in text, True)


def test_options():
    write('late.so', library(fatbin(entry(PTX, 80, (8, 3))), fatbin(entry(ELF, 89))))
    for name, words in [('no path', []), ('two drivers', ['--libcuda', 'late.so', '--cuda', '12.2', '.']),
                        ('no error', ['--fail-on', '300', '.']), ('nor this', ['--fail-on', '209,ok?', '.']),
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
    newer = os.path.abspath('newer')
    subprocess.run([os.path.join(TREE, 'tests/fixtures/fake/make-root'), newer, '--kmd', '535.54.03', '--host-umd', '535.54.03',
                    '--gpu', 'NVIDIA L4', '--compat', '560.28.03'], check=True, capture_output=True)
    none = fatbin(entry(ELF, 70), entry(ELF, 75))
    write('some.so', library(fatbin(entry(PTX, 80, (8, 3))), fatbin(entry(ELF, 89)), none, none))
    check('newest helps the PTX, not what has no code for this GPU', run('some.so', root=newer).stdout.splitlines()[-1],
          'What would help: CUARBITER_POLICY=newest, because /usr/local/cuda/compat/libcuda.so.560.28.03 has CUDA 12.6; '
          'a driver with CUDA 12.3 (branch 545 or later); a build with CUDA 12.2')
    check('nor does it help another driver that is named', run('--cuda', '12.2', 'some.so', root=newer).stdout.splitlines()[-1],
          'What would help: a driver with CUDA 12.3 (branch 545 or later); a build with CUDA 12.2')
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
          ('PTX up to 8.3 by the PTX compiler beside it' in text, 'ok?     /app/late.so' in text), (True, True))
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
    many = ''.join('extern int cuLater%040d(void);' % i for i in range(20)) + 'int f(void) { return cuInit(0)%s; }' % ''.join(
        ' + cuLater%040d()' % i for i in range(20))
    subprocess.run([*build, libcuda, '-o', 'lacks-many.so'], input='extern int cuInit(unsigned);' + many, text=True, check=True)
    said = json.loads(run('--json', '--cc', '8.9', '--libcuda', libcuda, 'lacks-many.so').stdout)
    check('more than fit: the list says so', (said['files'][0]['lacks'][-5:], said['files'][0]['lacks'].count('cuLater')), (', ...', 10))
    run('--cc', '8.9', '--libcuda', libcuda, 'lacks-now.so', under=['strace', '-f', '-o', 'closes', '-e', 'close'])
    with open('closes', encoding='utf-8') as closes:
        check('each descriptor is closed once', 'EBADF' in closes.read(), False)
    check('in words', '; it needs functions that this libcuda lacks: cuLaterThing\n' in
          run('--cc', '8.9', '--libcuda', libcuda, 'lacks-now.so').stdout, True)
    with zipfile.ZipFile('lacks.whl', 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.write('lacks-lazy.so')
    done = run('--json', '--cc', '8.9', '--libcuda', libcuda, 'lacks.whl')
    if 'not here' in done.stderr:
        print('# skipped: ' + done.stderr.strip())
    else:
        check('in a wheel', [f['lacks'] for f in json.loads(done.stdout)['files']], ['cuLaterThing'])


finish(test_modules, test_verdicts, test_files, test_runtime, test_gpus, test_share, test_trouble, test_ahead, test_tree,
       test_packages, test_judged, test_options, test_lacks)
