#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends standard input to a collector, as a process of a container would.

    send.py SOCKET CGROUP UID HOW [NUMBER]

CGROUP: a folder, or - for this process's own. HOW: stays, ends (after the datagram), flood (NUMBER
times), linger (with a connection whose last descriptor travels along, and whose closing waits).
"""
import os
import socket
import struct
import sys
import time

place, cgroup, uid, how = sys.argv[1:5]
number = int(sys.argv[5]) if len(sys.argv) > 5 else 1
text = sys.stdin.buffer.read()
if cgroup != '-':
    with open(cgroup + '/cgroup.procs', 'w') as procs:
        procs.write(str(os.getpid()))
os.setgroups([])
os.setgid(int(uid))
os.setuid(int(uid))


def full_connection():
    """A connection to a process that reads nothing."""
    listener = socket.socket()
    listener.bind(('127.0.0.1', 0))
    listener.listen()
    if os.fork() == 0:
        accepted = listener.accept()
        time.sleep(60)
        os._exit(bool(accepted))
    one = socket.socket()
    one.connect(listener.getsockname())
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 600))
    one.setblocking(False)
    try:
        while True:
            one.send(bytes(1 << 16))
    except BlockingIOError:
        return one


to = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
for _ in range(number):
    try:
        if how == 'linger':
            to.connect(place)
            travelling = full_connection()
            try:
                socket.send_fds(to, [text], [travelling.fileno()])
            finally:
                os._exit(0)  # without closing it, which would wait
        else:
            to.sendto(text, place)
    except OSError as error:
        if how != 'flood':
            sys.exit(str(error))
if how == 'stays':
    time.sleep(0.3)
os._exit(0)
