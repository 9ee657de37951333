#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server on loopback for the tests of `driver add`: serve.py FILE PORT-FILE LOG

/whole   FILE, with ranges          /broken  the first half of it, then the connection is closed; with ranges
/short   all of it, as half as long /long    all of it, as twice as long
/other   another file               /none    404
/to      a redirect to /whole       /round   one to itself
/slow    in pieces                  /whole-only  all of it, breaks at first, no ranges
http://any.host/whole               as a proxy is asked
Writes its port into PORT-FILE and a line a request into LOG: method, target, range.
"""
import http.server
import os
import sys
import time

body = open(sys.argv[1], 'rb').read()
broke = set()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def send(self, content, length=None, pieces=1, ranges=True):
        start = 0
        asked = self.headers.get('Range') if ranges else None
        if asked:
            start = int(asked.split('=')[1].split('-')[0])
            self.send_response(206)
            self.send_header('Content-Range', 'bytes %d-%d/%d' % (start, len(body) - 1, len(body)))
        else:
            self.send_response(200)
        self.send_header('Content-Length', str((len(content) if length is None else length) - start))
        self.end_headers()
        content = content[start:]
        step = -(-len(content) // pieces)
        for at in range(0, len(content), max(step, 1)):
            self.wfile.write(content[at:at + step])
            self.wfile.flush()
            if pieces > 1:
                time.sleep(0.2)

    def do_GET(self):
        with open(sys.argv[3], 'a') as log:
            print(self.command, self.path, self.headers.get('Range', '-'), file=log)
        name = self.path.rsplit('/', 1)[-1]
        half = len(body) // 2
        if name == 'whole':
            self.send(body)
        elif name == 'broken' and not self.headers.get('Range'):
            self.send(body[:half], len(body))
        elif name == 'broken':
            self.send(body)
        elif name == 'always-broken':
            self.send_response(200)
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body[:half])
        elif name == 'whole-only':
            first = name not in broke
            broke.add(name)
            self.send(body[:half] if first else body, len(body), ranges=False)
        elif name == 'short':
            self.send(body, half)
        elif name == 'long':
            self.send(body, 2 * len(body), ranges=False)
        elif name == 'other':
            self.send(body[::-1])
        elif name == 'slow':
            self.send(body, pieces=8)
        elif name in ('to', 'round'):
            self.send_response(302)
            self.send_header('Location', 'whole' if name == 'to' else 'round')
            self.end_headers()
        else:
            self.send_error(404)


server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
with open(sys.argv[2] + '.new', 'w') as f:
    f.write(str(server.server_address[1]))
os.rename(sys.argv[2] + '.new', sys.argv[2])
server.serve_forever()
