#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A mirror that does not do its work, in a network namespace of the caller's: brings loopback up, listens
on port 8080, and runs a command beside itself.

    mirror.py hang|missing COMMAND...

hang takes every connection and never answers; missing answers 404. Exits with the command's status."""
import fcntl
import http.server
import socket
import struct
import subprocess
import sys
import threading

IFF_UP, SIOCSIFFLAGS = 0x1, 0x8914


class Missing(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_error(404)

    def log_message(self, *_):
        pass


def hang(listener):
    kept = []
    while True:
        kept.append(listener.accept())


with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
    fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack('16sh', b'lo', IFF_UP))
if sys.argv[1] == 'hang':
    listener = socket.create_server(('127.0.0.1', 8080), backlog=64)
    threading.Thread(target=hang, args=(listener,), daemon=True).start()
else:
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 8080), Missing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
sys.exit(subprocess.run(sys.argv[2:]).returncode)
