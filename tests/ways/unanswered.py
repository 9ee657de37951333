#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""unanswered.py [--taken SECONDS] FOLDER COMMAND...: runs the command where the folder is a mount whose
server never answers, as that of a hard NFS mount that is down. --taken: it takes requests, so that who waits
cannot be killed, and is gone after that time."""
import ctypes
import os
import select
import struct
import subprocess
import sys
import threading
import time


def take(server, seconds):
    """Answers the first request, which is FUSE_INIT, and no other."""
    end = time.monotonic() + seconds
    while select.select([server], [], [], max(end - time.monotonic(), 0))[0]:
        opcode, number = struct.unpack_from('<IQ', os.read(server, 1 << 20), 4)
        if opcode == 26:
            os.write(server, struct.pack('<IiQIIIIHHIIHH32x', 80, 0, number, 7, 31, 0, 0, 16, 16, 1 << 16, 1, 0, 0))
    os.close(server)


seconds = 0
if sys.argv[1] == '--taken':
    seconds = float(sys.argv[2])
    del sys.argv[1:3]
libc = ctypes.CDLL(None, use_errno=True)
server = os.open('/dev/fuse', os.O_RDWR)
options = b'fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other' % server
if libc.mount(b'unanswered', sys.argv[1].encode(), b'fuse', 0, options):
    sys.exit('mount: ' + os.strerror(ctypes.get_errno()))
if seconds:
    threading.Thread(target=take, args=(server, seconds)).start()
sys.exit(subprocess.call(sys.argv[2:]))
