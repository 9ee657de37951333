# SPDX-License-Identifier: Apache-2.0
"""init.py [NAME]: libcuda by ctypes, as numba and cuda-python open it."""
import ctypes
import sys

name = sys.argv[1] if len(sys.argv) > 1 else 'libcuda.so.1'
code = ctypes.CDLL(name).cuInit(0)
files = {}
with open('/proc/self/maps') as maps:
    for line in maps:
        path = line.rstrip('\n').partition('/')[2]
        if path.rpartition('/')[2].startswith('libcuda.so'):
            files[tuple(line.split()[3:5])] = '/' + path
found = list(files.values())
print('program=ctypes cuInit=%d file=%s libcudas=%d maps=%s'
      % (code, found[0] if len(found) == 1 else '-', len(found), ','.join(found)))
