#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Archives that no driver is in, or more than one: hostile.py FOLDER OUT

FOLDER is a driver in NVIDIA's layout, compat/ in it; each archive is OUT/NAME.tar.xz, or .zip.
"""
import io
import lzma
import os
import sys
import tarfile
import zipfile

folder, out = sys.argv[1:]
compat = os.path.join(folder, 'compat')
names = sorted(n for n in os.listdir(compat) if not os.path.islink(os.path.join(compat, n)))
libcuda = next(n for n in names if n.startswith('libcuda.so.'))


def read(name):
    with open(os.path.join(compat, name), 'rb') as f:
        return f.read()


def entry(tar, name, content=b'', **fields):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in fields.items():
        setattr(info, key, value)
    tar.addfile(info, io.BytesIO(content))


def driver(tar, at='x/compat/', skip=(), change=lambda name, content: content):
    for name in names:
        if name not in skip:
            entry(tar, at + name, change(name, read(name)))


def archive(name, fill):
    with lzma.open(os.path.join(out, name + '.tar.xz'), 'wb', preset=0) as f:
        with tarfile.open(fileobj=f, mode='w', format=tarfile.GNU_FORMAT) as tar:
            fill(tar)


def outside(tar):
    driver(tar)
    for name in ('../../libnvidia-pkcs11.so.1', '/tmp/../libnvidia-pkcs11.so.2', 'x/../../.new/libnvidia-pkcs11.so.3',
                 '../../../etc/ld.so.preload', 'compat/..'):
        entry(tar, name, b'evil')


def links(tar):
    entry(tar, 'x/compat/' + libcuda, type=tarfile.SYMTYPE, linkname='/etc/passwd')
    entry(tar, 'x/compat', type=tarfile.SYMTYPE, linkname='/etc')
    entry(tar, 'x/compat/libnvidia-nvvm.so.9', type=tarfile.LNKTYPE, linkname='/etc/passwd')
    entry(tar, 'x/compat/libnvidia-nvvm.so.8', type=tarfile.SYMTYPE, linkname='../../../../etc/shadow')
    driver(tar)


def devices(tar):
    for n, kind in enumerate((tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)):
        entry(tar, 'x/compat/libnvidia-nvvm.so.%d' % n, type=kind, devmajor=1, devminor=3, mode=0o6777)
    driver(tar)


def suid(tar):
    for name in names:
        entry(tar, 'x/compat/' + name, read(name), mode=0o6777, uid=1234, gid=1234)


def two(tar):
    driver(tar, 'x/')
    driver(tar, 'y/', change=lambda name, content: content + b'\0' if name == libcuda else content)


def alike(tar):
    driver(tar, 'x/')
    driver(tar, 'y/')


def twice(tar):
    driver(tar)
    entry(tar, 'x/compat/' + libcuda, read(libcuda))


def without(tar):
    driver(tar, skip=[libcuda])


def alone(tar):
    entry(tar, 'x/' + libcuda, read(libcuda))


def folders(tar):
    for n in range(100):
        entry(tar, 'x/%d/%s' % (n, libcuda), read(libcuda))


def named(tar):
    for name in names:
        entry(tar, 'x/' + name.replace('590.48.01', '595.45.04'), read(name))


def no_libcuda(tar):
    driver(tar, change=lambda name, content: read('libnvidia-nvvm.so.590.48.01') if name == libcuda else content)


def text(tar):
    driver(tar, change=lambda name, content: b'no ELF file' * 9999 if name == libcuda else content)


def foreign(tar):
    machine = 62 if read(libcuda)[18] == 183 else 183
    driver(tar, change=lambda name, content: content[:18] + bytes([machine]) + content[19:])


def half(tar):
    driver(tar, change=lambda name, content: content[:len(content) // 2] if name == libcuda else content)


def mixed(tar):
    machine = 62 if read(libcuda)[18] == 183 else 183
    driver(tar, change=lambda name, content: content[:18] + bytes([machine]) + content[19:]
           if 'nvvm.so' in name else content)


def licences(tar):
    driver(tar)
    entry(tar, 'x/compat/deep/LICENSE', b'deep')
    entry(tar, 'LICENSE', b'l' * 3000000)
    entry(tar, 'x/LICENSE', b'the one')


def below(tar):
    entry(tar, 'LICENSE', b'the one')
    driver(tar)
    entry(tar, 'x/compat/deep/LICENSE', b'deep')
    entry(tar, 'x/compat/deep/copyright', b'deep')


for fill in (outside, links, devices, suid, two, alike, twice, without, alone, folders, named, no_libcuda, text,
             foreign, half, mixed, licences, below):
    archive(fill.__name__.replace('_', '-'), fill)

# 100 GB of zeros, as libcuda and as another file, of blocks of xz that are made once.
block = lzma.compress(bytes(1 << 25), preset=0)
for name, member, size in (('zeros', 'x/compat/' + libcuda, 100 << 30), ('zeros-beside', 'x/other', 100 << 30),
                           ('large', 'x/compat/' + libcuda, 3 << 30)):
    info = tarfile.TarInfo(member)
    info.size = size
    head = info.tobuf(tarfile.GNU_FORMAT)
    with open(os.path.join(out, name + '.tar.xz'), 'wb') as f:
        f.write(lzma.compress(head, preset=0))
        for _ in range(64):
            f.write(block)
# A million members.
block = lzma.compress(b''.join(tarfile.TarInfo('x/%d' % n).tobuf(tarfile.GNU_FORMAT) for n in range(10000)), preset=0)
with open(os.path.join(out, 'members.tar.xz'), 'wb') as f:
    for _ in range(100):
        f.write(block)
whole = open(os.path.join(out, 'suid.tar.xz'), 'rb').read()
with open(os.path.join(out, 'cut.tar.xz'), 'wb') as f:
    f.write(whole[:len(whole) // 2])
with open(os.path.join(out, 'changed.tar.xz'), 'wb') as f:
    f.write(whole[:2000] + bytes(b ^ 255 for b in whole[2000:2100]) + whole[2100:])
with open(os.path.join(out, 'empty.tar.xz'), 'wb') as f:
    pass
with open(os.path.join(out, 'noise.tar.xz'), 'wb') as f:
    f.write(os.urandom(100000))
# What says less than it holds, and more: zip, whose sizes stand twice.
with zipfile.ZipFile(os.path.join(out, 'bomb.zip'), 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as z:
    with z.open(zipfile.ZipInfo('x/' + libcuda), 'w', force_zip64=True) as f:
        for _ in range(205):
            f.write(bytes(10 << 20))
# Compressed data that are whole, but changed in the middle.
with zipfile.ZipFile(os.path.join(out, 'flipped.zip'), 'w', zipfile.ZIP_DEFLATED) as z:
    z.writestr('x/' + libcuda, ' '.join(map(str, range(200000))))
whole = open(os.path.join(out, 'flipped.zip'), 'rb').read()
with open(os.path.join(out, 'flipped.zip'), 'wb') as f:
    f.write(whole[:len(whole) // 2] + bytes(200) + whole[len(whole) // 2 + 200:])
