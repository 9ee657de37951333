#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""A pod, as a kubelet asks containerd for it: cri.py [OPTION...] IMAGE [COMMAND...] starts it with one container, prints
what that printed, and removes both. With --keep LOGS it prints POD CONTAINER and lets them run, with LOGS/log;
cri.py --end POD CONTAINER ends and removes them, --grace seconds after a SIGTERM. The socket is spoken to by curl; of the messages, runtime/v1 of Kubernetes'
CRI, only the fields that are used are made here."""
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
    p.add_argument('--cdi', action='append', default=[])
    p.add_argument('--env', action='append', default=[])
    p.add_argument('--volume', action='append', default=[])
    p.add_argument('--privileged', action='store_true')
    p.add_argument('--host-pid', action='store_true')
    p.add_argument('--keep')
    p.add_argument('--end', nargs=2)
    p.add_argument('--grace', type=int, default=5)
    p.add_argument('image', nargs='?')
    p.add_argument('command', nargs=argparse.REMAINDER)
    return p.parse_args()


def pair(text, between):
    key, _, value = text.partition(between)
    return field(1, key) + field(2, value)


def remove(pod):
    call('StopPodSandbox', field(1, pod))
    call('RemovePodSandbox', field(1, pod))


def main():
    o = options()
    if o.end:
        call('StopContainer', field(1, o.end[1]) + field(2, o.grace))
        remove(o.end[0])
        return
    if not o.image:
        call('Status', b'')
        return
    logs = o.keep or tempfile.mkdtemp()
    os.makedirs(logs, exist_ok=True)
    name = 'pod-%d' % os.getpid()
    namespaces = field(1, NODE) + field(2, NODE if o.host_pid else 1)
    may = field(1, namespaces) + field(6, int(o.privileged))
    sandbox = (field(1, field(1, name) + field(2, name) + field(3, 'default')) + field(3, logs) +
               field(8, field(1, o.cgroup_parent) + field(2, may)))
    pod = call('RunPodSandbox', field(1, sandbox) + field(2, o.handler))[1]
    try:
        container = field(1, field(1, 'main')) + field(2, field(1, o.image))
        container += b''.join(field(3, word) for word in o.command)
        container += b''.join(field(6, pair(each, '=')) for each in o.env)
        for each in o.volume:
            host, inside, *rest = each.split(':')
            how = field(5, HOST_TO_CONTAINER) if 'rslave' in rest else field(3, 1)
            container += field(7, field(1, inside) + field(2, host) + how)
        container += b''.join(field(10, pair(each, '=')) for each in o.annotation) + field(11, 'log')
        container += field(15, field(2, field(2, int(o.privileged)) + field(3, namespaces)))
        container += b''.join(field(17, field(1, each)) for each in o.cdi)
        made = call('CreateContainer', field(1, pod) + field(2, container) + field(3, sandbox))[1]
        call('StartContainer', field(1, made))
        if o.keep:
            print(pod.decode(), made.decode())
            return
        for _ in range(300):
            if dict(fields(call('ContainerStatus', field(1, made))[1])).get(3) == EXITED:
                break
            time.sleep(0.1)
        with open(logs + '/log') as file:
            # "TIME stdout F TEXT"
            print(''.join(line.split(' ', 3)[3] for line in file), end='')
    finally:
        if not o.keep:
            remove(pod)


main()
