#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""A pod, as a kubelet asks containerd for it: cri.py [OPTION...] IMAGE [COMMAND...] starts it with one container, prints
what that printed, and removes both. With --stay NAME it stays, and its container's log is /run/NAME/log; --exec NAME
COMMAND... then runs a command in it, with its exit status; --end NAME gives it five seconds to end, removes both, and
prints the container's exit status. A volume HOST:INSIDE is read-only; with :rslave it gets the node's later mounts, too.
The socket is spoken to by curl; of the messages, runtime/v1 of Kubernetes' CRI, only the fields that are used are made
here."""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

from protobuf import field, fields

SOCKET = '/run/containerd/containerd.sock'
EXITED, NODE, HOST_TO_CONTAINER = 2, 2, 1


def call(method, request, service='RuntimeService'):
    with tempfile.TemporaryDirectory() as folder:
        answer = subprocess.run(
            ['curl', '-sS', '--http2-prior-knowledge', '--unix-socket', SOCKET, '-D', folder + '/head', '-H',
             'content-type: application/grpc', '-H', 'te: trailers', '--data-binary', '@-',
             'http://localhost/runtime.v1.%s/%s' % (service, method)],
            input=b'\0' + struct.pack('>I', len(request)) + request, stdout=subprocess.PIPE, check=True, timeout=60).stdout
        with open(folder + '/head') as file:
            head = dict(line.strip().partition(':')[::2] for line in file)
    if head.get('grpc-status', '').strip() != '0':
        sys.exit('%s: %s' % (method, head.get('grpc-message', head)))
    return dict(fields(answer[5:]))


def options():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('--handler', default='')
    p.add_argument('--cgroup-parent', default='')
    p.add_argument('--annotation', action='append', default=[])
    p.add_argument('--pod-annotation', action='append', default=[])
    p.add_argument('--cdi', action='append', default=[])
    p.add_argument('--env', action='append', default=[])
    p.add_argument('--volume', action='append', default=[])
    p.add_argument('--privileged', action='store_true')
    p.add_argument('--host-pid', action='store_true')
    p.add_argument('--memory', type=int, help='limit, in bytes')
    p.add_argument('--cpu', type=int, help='limit, in thousandths')
    p.add_argument('--stay', metavar='NAME')
    p.add_argument('--exec', metavar='NAME')
    p.add_argument('--end', metavar='NAME')
    p.add_argument('image', nargs='?')
    p.add_argument('command', nargs=argparse.REMAINDER)
    return p.parse_args()


def pair(text, between):
    key, _, value = text.partition(between)
    return field(1, key) + field(2, value)


def resources(o):
    limits = field(1, 100000) + field(2, 100 * o.cpu) if o.cpu else b''
    return limits + (field(4, o.memory) if o.memory else b'')


def container_of(o, sandbox_namespaces):
    container = field(1, field(1, 'main')) + field(2, field(1, o.image))
    container += b''.join(field(3, word) for word in o.command)
    container += b''.join(field(6, pair(each, '=')) for each in o.env)
    for each in o.volume:
        host, inside, how = (each + ':').split(':')[:3]
        reach = field(5, HOST_TO_CONTAINER) if how == 'rslave' else field(3, 1)
        container += field(7, field(1, inside) + field(2, host) + reach)
    container += b''.join(field(10, pair(each, '=')) for each in o.annotation) + field(11, 'log')
    rights = field(2, int(o.privileged)) + field(3, sandbox_namespaces)
    container += field(15, field(1, resources(o)) + field(2, rights))
    return container + b''.join(field(17, field(1, each)) for each in o.cdi)


def status(container):
    return dict(fields(call('ContainerStatus', field(1, container))[1]))


def start(o, logs, made):
    """Appends the pod's ID to `made`, and then the container's."""
    namespaces = field(1, NODE) + field(2, NODE if o.host_pid else 1)
    name = 'pod-%d' % os.getpid()
    rights = field(1, namespaces) + field(6, int(o.privileged))
    sandbox = (field(1, field(1, name) + field(2, name) + field(3, 'default')) + field(3, logs) +
               b''.join(field(7, pair(each, '=')) for each in o.pod_annotation) +
               field(8, field(1, o.cgroup_parent) + field(2, rights)))
    made.append(call('RunPodSandbox', field(1, sandbox) + field(2, o.handler))[1])
    made.append(call('CreateContainer', field(1, made[0]) + field(2, container_of(o, namespaces)) + field(3, sandbox))[1])
    call('StartContainer', field(1, made[1]))


def remove(pod):
    call('StopPodSandbox', field(1, pod))
    call('RemovePodSandbox', field(1, pod))
def stayed(name):
    with open('/run/%s/ids' % name) as file:
        return [each.encode() for each in file.read().split()]


def run(o):
    logs, made = tempfile.mkdtemp(), []
    try:
        start(o, logs, made)
        for _ in range(300):
            if status(made[1]).get(3) == EXITED:
                break
            time.sleep(0.1)
        with open(logs + '/log') as file:
            # "TIME stdout F TEXT"
            print(''.join(line.split(' ', 3)[3] for line in file), end='')
    finally:
        if made:
            remove(made[0])


def stay(o):
    folder, made = '/run/' + o.stay, []
    os.makedirs(folder, exist_ok=True)
    try:
        start(o, folder, made)
    finally:
        with open(folder + '/ids', 'w') as file:
            print(*(each.decode() for each in made), file=file)


def execute(o):
    words = ([o.image] if o.image else []) + o.command
    answer = call('ExecSync', field(1, stayed(o.exec)[1]) + b''.join(field(2, word) for word in words) + field(3, 20))
    print((answer.get(1, b'') + answer.get(2, b'')).decode(), end='')
    sys.exit(answer.get(3, 0))


def end(o):
    pod, container = stayed(o.end)
    call('StopContainer', field(1, container) + field(2, 5))
    print(status(container).get(7, 0))
    remove(pod)


def main():
    o = options()
    if o.exec:
        execute(o)
    elif o.end:
        end(o)
    elif o.stay:
        stay(o)
    elif o.image:
        run(o)
    else:
        call('Status', b'')


main()
