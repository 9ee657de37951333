# SPDX-License-Identifier: Apache-2.0
"""Files with GPU code, made byte by byte: entries, fat binaries, ELF files, cubins."""
import struct
import sys

PTX, ELF, LTO, OTHER = 1, 2, 8, 0x40
LZ4, ZSTD, EXACT, FAMILY = 0x2000, 0x8000, 0x100000, 0x200000
MAGIC = b'\x50\xed\x55\xba\x01\x00\x10\x00'


def entry(kind, sm, version=(8, 0), flags=0, payload=bytes(1200), head=64, size=None):
    packed = len(payload) if flags & (LZ4 | ZSTD) else 0
    return struct.pack('<HHIQIIHHIIIQQQ', kind, 0x101, head, len(payload) if size is None else size,
                       packed, 0, version[1], version[0], sm, 0, 0, flags, 0,
                       4000 if packed else 0).ljust(head, b'\0') + payload


def fatbin(*entries, size=None):
    body = b''.join(entries)
    return MAGIC + struct.pack('<Q', len(body) if size is None else size) + body


def sections(*pairs, kind=3, machine=62, strings=None, count=None, headers=True):
    """An ELF file with these (name, bytes), all of them in one segment too."""
    names, table, body, at = b'\0', [(0,) * 10], b'', 64 + 56
    for name, data in pairs:
        body += bytes(-(at + len(body)) % 16)
        flags = 6 if name == '.text' else 2
        table.append((len(names), 1, flags, at + len(body), at + len(body), len(data), 0, 0, 16, 0))
        names += name.encode() + b'\0'
        body += data
    table.append((len(names), 3, 0, 0, at + len(body), strings or len(names) + 10, 0, 0, 1, 0))
    names += b'.shstrtab\0'
    body += names + bytes(-(at + len(body) + len(names)) % 8)
    shoff = at + len(body)
    count = len(table) if count is None else count
    head = b'\x7fELF\x02\x01\x01'.ljust(16, b'\0') + struct.pack(
        '<HHIQQQIHHHHHH', kind, machine, 1, 0, 64, shoff if headers else 0, 0, 64, 56, 1,
        64 if headers else 0, count if headers else 0, len(table) - 1 if headers else 0)
    segment = struct.pack('<IIQQQQQQ', 1, 4, 0, 0, 0, at + len(body), at + len(body), 4096)
    return head + segment + body + b''.join(struct.pack('<IIQQQQIIQQ', *row) for row in table)


def library(*containers, name='.nv_fatbin', **more):
    """A shared library whose section `name` holds these containers, on boundaries of 8."""
    return sections((name, b''.join(c + bytes(-len(c) % 8) for c in containers)), **more)


def wrappers(*addresses, version=1):
    """What names the containers of .nv_fatbin, for .nvFatBinSegment; version 2: made by device linking."""
    return b''.join(struct.pack('<IIQQ', 0x466243b1, version, address, 0) for address in addresses)


def cubin(flags, abi):
    return (b'\x7fELF\x02\x01\x01\x33' + bytes([abi])).ljust(16, b'\0') + struct.pack(
        '<HHIQQQIHHHHHH', 2, 190, 1, 0, 0, 0, flags, 64, 56, 0, 64, 0, 0)


def ptx(version, target):
    return ('//\n// Generated\n//\n\n.version %s\n.target %s\n.address_size 64\n' % (version, target)).encode()


def seeds(folder):
    """What fuzz-code starts from: a byte that chooses name and target, then the file."""
    good = fatbin(entry(ELF, 90, (1, 8), ZSTD), entry(PTX, 80, (8, 7), LZ4), entry(LTO, 90))
    files = [library(good, good), library(good, headers=False), library(good, name='__nv_relfatbin', kind=1),
             sections(('.nv_fatbin', good + good), ('.nvFatBinSegment', wrappers(128, 128 + len(good)))),
             sections(('.nv_fatbin', good), ('.nv_fatbin', good), ('.nvFatBinSegment', wrappers(128, version=2))),
             sections(('.rodata', b'Cuda compilation tools, release 12.9, V12.9.86\0' + bytes(32))), good,
             cubin(0x6006402, 8), ptx('8.5', 'sm_90a')]
    for number, data in enumerate(files):
        for choice in b'\0\1\2\3\7':
            with open('%s/%d-%d' % (folder, number, choice), 'wb') as file:
                file.write(bytes([choice]) + data)


if __name__ == '__main__':
    seeds(sys.argv[1])
