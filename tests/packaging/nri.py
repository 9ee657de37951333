#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""A small fake of containerd's side of NRI: starts `COMMAND node nri` on a socket, as containerd starts a plugin, and speaks
to it in NRI's frames. nri.py COMMAND prints, for each check, its name, what came, and what was wanted, with tabs between."""
import json
import os
import random
import select
import socket
import struct
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../fixtures'))
from protobuf import field, fields, number

COMMAND = sys.argv[1]
PLUGIN, RUNTIME, REQUEST, RESPONSE = 1, 2, 1, 2
SERVICE = 'nri.pkg.api.v1alpha1.Plugin'


def call(stream, kind, body):
    return struct.pack('>IIBB', len(body), stream, kind, 0) + body


def frame(connection, data):
    return struct.pack('>II', connection, len(data)) + data


def request(stream, method, payload=b''):
    return call(stream, REQUEST, field(1, SERVICE) + field(2, method) + field(3, payload) + field(4, 2000000000))


POD = field(1, 'id') + field(2, 'pod') + field(4, 'default') + field(5, field(1, 'a') + field(2, 'b'))
CONTAINER = field(1, 'id') + field(3, 'main') + field(8, 'NVIDIA_VISIBLE_DEVICES=all') + field(14, 1 << 40)
REGISTERED = frame(RUNTIME, call(1, RESPONSE, b''))
CONFIGURE = request(1, 'Configure', field(2, 'containerd') + field(3, 'v1.7.24'))
SYNCHRONIZE = request(3, 'Synchronize', field(1, POD) + field(2, CONTAINER))
CREATE = request(5, 'CreateContainer', field(1, POD) + field(2, CONTAINER))


class Plugin:
    def __init__(self):
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(15)
        env = {'NRI_PLUGIN_NAME': 'cuarbiter', 'NRI_PLUGIN_IDX': '10', 'NRI_PLUGIN_SOCKET': str(theirs.fileno())}
        self.process = subprocess.Popen([COMMAND, 'node', 'nri'], env=env, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        theirs.close()

    def receive(self):
        """A frame; the plugin sends each small message as one."""
        head = self.socket.recv(8, socket.MSG_WAITALL)
        if len(head) < 8:
            return None
        connection, size = struct.unpack('>II', head)
        data = self.socket.recv(size, socket.MSG_WAITALL)
        length, stream, kind, _ = struct.unpack('>IIBB', data[:10])
        return connection, stream, kind, fields(data[10:10 + length])

    def ask(self, message):
        """The payload of the answer, with its connection, stream and type."""
        self.socket.sendall(frame(PLUGIN, message))
        connection, stream, kind, found = self.receive()
        return connection, stream, kind, found

    def end(self, limit=30):
        """Exit status, and what was printed."""
        try:
            out, err = self.process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return 'it hangs', '', ''
        return self.process.returncode, out, err

    def send(self, data):
        """What it takes of that; it may have ended."""
        try:
            self.socket.sendall(data)
            self.socket.shutdown(socket.SHUT_WR)
            while select.select([self.socket], [], [], 15)[0] and self.socket.recv(65536):
                pass
        except OSError:
            pass


def check(name, got, wanted):
    print('%s\t%s\t%s' % (name, got, wanted))


def payload(answer):
    return dict(answer[3])[2]


def whole():
    plugin = Plugin()
    connection, stream, kind, found = plugin.receive()
    check('it registers', (connection, stream, kind, found[:2], fields(found[2][1])),
          (RUNTIME, 1, REQUEST, [(1, b'nri.pkg.api.v1alpha1.Runtime'), (2, b'RegisterPlugin')], [(1, b'cuarbiter'), (2, b'10')]))
    plugin.socket.sendall(REGISTERED)
    answer = plugin.ask(CONFIGURE)
    check('Configure: subscribes to CreateContainer alone', (answer[:3], fields(payload(answer))),
          ((PLUGIN, 1, RESPONSE), [(2, 1 << 3)]))
    check('Synchronize, a part: it asks for more',
          fields(payload(plugin.ask(request(3, 'Synchronize', field(1, POD) + field(3, 1))))), [(2, 1)])
    check('Synchronize', payload(plugin.ask(SYNCHRONIZE)), b'')
    hooks = dict(fields(dict(fields(dict(fields(payload(plugin.ask(CREATE))))[1]))[5]))[3]
    hook = {'path': '', 'args': [], 'env': []}
    for place, value in fields(hooks):
        if place == 1:
            hook['path'] = value.decode()
        else:
            hook[{2: 'args', 3: 'env'}[place]].append(value.decode())
    printed = json.loads(subprocess.run([COMMAND, 'node', 'print-oci'], stdout=subprocess.PIPE, check=True).stdout)
    check('CreateContainer: the hook of node print-oci', [hook] == printed['hooks']['createContainer'], True)
    check('a call that it does not know: an empty answer, no error', plugin.ask(request(7, 'Dance'))[1:],
          (7, RESPONSE, [(2, b'')]))
    unknown = field(99, 'x') + number(98 << 3 | 1) + bytes(8) + number(97 << 3 | 5) + bytes(4) + field(96, 1 << 63)
    check('fields that it does not know', payload(plugin.ask(call(9, REQUEST, unknown + field(2, 'Synchronize')))), b'')
    plugin.socket.sendall(frame(7, bytes(100000)) + frame(0, b'') + frame(PLUGIN, call(11, 3, b'data')))
    check('other connections, data that nobody asked for', plugin.ask(request(13, 'StateChange'))[1], 13)
    for byte in frame(PLUGIN, request(15, 'Shutdown')[:20]) + frame(PLUGIN, request(15, 'Shutdown')[20:]):
        plugin.socket.sendall(bytes([byte]))
    check('a message in two frames, byte by byte', plugin.receive()[1], 15)
    plugin.socket.sendall(frame(PLUGIN, request(17, 'Dance') + request(19, 'Dance')))
    check('two messages in one frame', (plugin.receive()[1], plugin.receive()[1]), (17, 19))
    many = request(21, 'Synchronize', field(1, POD) * 100000)
    for at in range(0, len(many), 4096):
        plugin.socket.sendall(frame(PLUGIN, many[at:at + 4096]))
    check('%d bytes of pods' % len(many), plugin.receive()[1], 21)
    plugin.socket.close()
    check('the runtime goes: it ends with a line', plugin.end(),
          (1, "containerd now adds cuarbiter's hook to each new container of a pod\n",
           'cuarbiter: nri: containerd has closed the connection; new pods start without cuarbiter\n'))


def refused():
    plugin = Plugin()
    plugin.receive()
    plugin.socket.sendall(frame(RUNTIME, call(1, RESPONSE, field(1, field(1, 2) + field(2, 'no\nroom')))))
    check('refused', plugin.end(), (1, '', 'cuarbiter: nri: containerd refuses the plugin: no\\x0aroom\n'))


def damaged():
    for name, data, why in [
            ('a frame of 4 GiB', struct.pack('>II', PLUGIN, 0xffffffff), 'too large'),
            ('a message of 4 GiB', frame(PLUGIN, struct.pack('>IIBB', 0xffffffff, 1, 1, 0)), 'too large'),
            ('frames without end, and no message', frame(PLUGIN, struct.pack('>IIBB', 4 << 20, 1, 1, 0)) +
             frame(PLUGIN, bytes(4 << 20))[:-1] * 3, 'damaged'),
            ('a text that is longer than its message', frame(PLUGIN, call(1, 1, b'\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01')), 'damaged'),
            ('a number without end', frame(PLUGIN, call(1, 1, b'\xff' * 40)), 'damaged'),
            ('field 0', frame(PLUGIN, call(1, 1, b'\0\0')), 'damaged'),
            ('a group', frame(PLUGIN, call(1, 1, b'\x0b\x0c')), 'damaged'),
            ('an answer that is none', frame(RUNTIME, call(1, 2, b'\xff')), 'damaged')]:
        plugin = Plugin()
        plugin.send(data)
        code, _, err = plugin.end()
        check(name, (code, why in err), (1, True))


def silent():
    plugin = Plugin()
    plugin.receive()
    plugin.socket.sendall(REGISTERED + frame(PLUGIN, CONFIGURE)[:-5])
    check('half a frame, and nothing more', plugin.end(), (
        1, '', 'cuarbiter: nri: containerd does not answer; new pods start without cuarbiter\n'))


def fuzz(rounds):
    good = REGISTERED + b''.join(frame(PLUGIN, each) for each in (CONFIGURE, SYNCHRONIZE, CREATE))
    dice, bad = random.Random(35), []
    for turn in range(rounds):
        data = bytearray(good)
        for _ in range(dice.randint(1, 6)):
            at = dice.randrange(len(data))
            how = dice.randrange(4)
            if how == 0:
                data[at] = dice.choice((0, 1, 0x7f, 0x80, 0xff, dice.randrange(256)))
            elif how == 1:
                del data[at:at + dice.randint(1, 20)]
            elif how == 2:
                data[at:at] = dice.randbytes(dice.randint(1, 20))
            else:
                data[at:at + 4] = b'\xff\xff\xff\xff'
            data = data or bytearray(1)
        plugin = Plugin()
        plugin.send(bytes(data))
        code, _, err = plugin.end()
        if code != 1 or not err.startswith('cuarbiter: nri: ') or err.count('\n') != 1:
            bad.append((turn, code, err))
    check('%d damaged conversations: it ends each by itself' % rounds, bad, [])


def lame():
    plugin = Plugin()
    check('the hook cannot work: it registers', plugin.receive()[0], RUNTIME)
    plugin.socket.sendall(REGISTERED)
    plugin.ask(CONFIGURE)
    plugin.ask(SYNCHRONIZE)
    check('the hook cannot work: it adds nothing', payload(plugin.ask(CREATE)), b'')
    plugin.socket.close()
    code, out, err = plugin.end()
    check('the hook cannot work: it says why', (code, out, 'cuarbiter-answer: No such file' in err), (1, '', True))


if 'lame' in sys.argv:
    lame()
    sys.exit()
whole()
refused()
damaged()
silent()
fuzz(int(os.environ.get('CUARBITER_FUZZ_ROUNDS', '150')))
