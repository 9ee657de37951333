#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cuarbiter code` on files made to mislead it: it ends in time, takes little memory, and what it
could not read is not known. TAP."""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../fixtures'))
from built import COMMAND
from made import ELF, MAGIC, PTX, entry, fatbin, library, sections, wrappers

# KIB of memory that is no file's; AddressSanitizer has terabytes of it mapped.
SECONDS, KIB = 10, 'unlimited' if 'ASAN_OPTIONS' in os.environ else 6 << 10
count = failed = 0
folder = tempfile.TemporaryDirectory(prefix='cuarbiter-test.')
os.chdir(folder.name)
good = fatbin(entry(ELF, 90), entry(PTX, 80, (8, 0)))


def ok(good, name, why=''):
    global count, failed
    count += 1
    failed += not good
    print('%sok %d - %s%s' % ('' if good else 'not ', count, name, '' if good else '\n#   %s' % (why,)))


def run(*paths):
    return subprocess.run(['sh', '-c', 'ulimit -d %s && exec "$@"' % KIB, 'sh', COMMAND, 'code', '--cc', '9.0', '--cuda', '12.4', '--json', *paths],
                          capture_output=True, text=True, timeout=SECONDS, check=False)


def verdict(name, data, *wanted, size=None):
    with open('file.so', 'wb') as file:
        file.write(data)
        if size:
            file.truncate(size)
    try:
        done = run('file.so')
        files = json.loads(done.stdout)['files']
        got = files[0]['verdict'] if files else 'none'
        ok(done.returncode in (0, 1, 3) and got in wanted, name, (done.returncode, got, done.stderr))
    except subprocess.TimeoutExpired:
        ok(False, name, 'no end in %d s' % SECONDS)


verdict('an ELF file of 20 bytes', library(good)[:20], 'unknown')
verdict('a section beyond the end', library(good)[:300], 'unknown')
verdict('section headers beyond the end', library(good)[:-40], 'ok?', 'unknown')
verdict('a container that is longer than its section', library(fatbin(entry(ELF, 90), size=1 << 40)), 'unknown')
verdict('one of 2^64 - 1 bytes', library(fatbin(entry(ELF, 90), size=(1 << 64) - 1)), 'unknown')
verdict('an entry longer than its container', library(fatbin(entry(ELF, 90, size=1 << 30))), 'unknown')
verdict('one of 2^64 - 64 bytes, which wraps', library(fatbin(entry(ELF, 90, size=(1 << 64) - 64))), 'unknown')
short = bytearray(entry(ELF, 90))
short[4:8] = bytes(4)
verdict('an entry of no length', library(fatbin(bytes(short))), 'unknown')
verdict('damage behind an entry that runs', library(fatbin(entry(ELF, 90), bytes(short))), 'ok?')
verdict('a form of container that nobody knows', library(b'\x50\xed\x55\xba\x02\x00\x20\x00' + good[8:]), 'unknown')
verdict('its magic alone at the end of data', sections(('.data', bytes(8) + MAGIC)), 'ok?')
verdict('names beyond the end', library(good, strings=1 << 60), 'ok?', 'unknown')
verdict('65,000 sections claimed', library(good, count=65000), 'unknown')
verdict('no section count, which is in the first section then', library(good, count=0), 'ok?')
verdict('16,000 empty sections',
        sections(*[('.nv_fatbin', b'')] * 16000), 'ok?')
many = bytearray(sections(*[('.rodata', bytes(16))] * 4000))
for i in range(4000):
    at = len(many) - (4001 - i) * 64
    many[at + 24:at + 40] = (0).to_bytes(8, 'little') + (32 << 20).to_bytes(8, 'little')
verdict('4,000 sections, each the whole file', bytes(many), 'unknown', size=33 << 20)
verdict('64 MiB of empty containers', library((MAGIC + bytes(8)) * (1 << 16)), 'ok?', 'unknown')
verdict('200,000 entries', library(fatbin(*[entry(ELF, 90, payload=b'')] * 200000)), 'ok?')
verdict('a million wrappers', sections(('.nv_fatbin', good), ('.nvFatBinSegment', wrappers(128) * (1 << 20))), 'ok?')
verdict('a million wrappers for each of 3,000 sections',
        sections(*[('.nv_fatbin', good)] * 3000, ('.nvFatBinSegment', wrappers(128) * (1 << 16))), 'ok?')
verdict('two sections of containers, and wrappers made by device linking',
        sections(('.nv_fatbin', good), ('.nv_fatbin', good), ('.nvFatBinSegment', wrappers(128, version=2))), 'ok?')
verdict('wrappers twice', sections(('.nv_fatbin', good), ('.nvFatBinSegment', wrappers(*[128] * 8, version=2)),
                                   ('.nv_fatbin', good), ('.nvFatBinSegment', wrappers(*[128] * 9, version=2))), 'ok?')
verdict('wrappers beyond the end', sections(('.nv_fatbin', good), ('.nvFatBinSegment', wrappers(128)))[:-80],
        'ok?', 'unknown')
verdict('1 GiB that is not there', library(good, headers=False), 'ok?', 'unknown', size=1 << 30)
verdict('a .ptx without an end', b'.version ' * 100000, 'none', 'ok?', 'unknown')

seed = random.Random(9)
whole = library(good, fatbin(entry(ELF, 80), entry(PTX, 90, (8, 7))))
os.mkdir('mutants')
for i in range(600):
    data = bytearray(whole)
    for _ in range(seed.choice((1, 2, 8))):
        data[seed.randrange(len(data))] = seed.choice((0, 1, 0x7f, 0x80, 0xff, seed.randrange(256)))
    with open('mutants/%d.so' % i, 'wb') as file:
        file.write(data[:seed.choice((len(data), len(data), seed.randrange(len(data))))])
start = time.monotonic()
try:
    done = run('mutants')
    ok(done.returncode in (0, 1, 3) and json.loads(done.stdout)['schema'] == 1, '600 mutants of a good file',
       (done.returncode, done.stderr[-200:]))
except subprocess.TimeoutExpired:
    ok(False, '600 mutants of a good file', 'no end in %d s' % SECONDS)
print('1..%d' % count)
sys.exit(1 if failed else 0)
