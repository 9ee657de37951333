#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""A CDI specification of the node's GPU: specification.py KIND yaml, as nvidia-ctk writes one, or json, as the device
plugin does. The nodes are files here, so they are mounts; the kernel driver is a hook (gpu-hook)."""
import json
import sys

LIBRARIES = '/usr/lib/x86_64-linux-gnu/'
VERSION = '535.261.03'


def mount(path, inside=None, options=('ro', 'nosuid', 'nodev', 'bind')):
    return {'containerPath': inside or path, 'hostPath': path, 'options': list(options)}


def block(value, indent=''):
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield '%s%s:' % (indent, key)
            yield from block(inner, indent + '  ')
        elif isinstance(inner, list):
            yield '%s%s:' % (indent, key)
            for item in inner:
                lines = list(block(item, '  ')) if isinstance(item, dict) else ['  ' + item]
                yield '%s- %s' % (indent, lines[0][2:])
                yield from (indent + line for line in lines[1:])
        else:
            yield '%s%s: %s' % (indent, key, json.dumps(inner) if inner.isdigit() else inner)


libcuda = LIBRARIES + 'libcuda.so.' + VERSION
compiler = LIBRARIES + 'libnvidia-ptxjitcompiler.so.' + VERSION
spec = {
    'cdiVersion': '0.5.0',
    'containerEdits': {
        'env': ['NVIDIA_VISIBLE_DEVICES=void'],
        'hooks': [{'args': ['gpu-kernel'], 'hookName': 'prestart', 'path': '/machine/gpu-kernel'}],
        'mounts': [mount('/dev/nvidiactl', options=['bind']), mount(libcuda),
                   mount(libcuda, LIBRARIES + 'libcuda.so.1'), mount(compiler)],
    },
    'devices': [{'containerEdits': {'mounts': [mount('/dev/nvidia0', options=['bind'])]}, 'name': name}
                for name in ('0', 'all')],
    'kind': sys.argv[1],
}
if sys.argv[2] == 'json':
    print(json.dumps(spec))
else:
    print('---', *block(spec), sep='\n')
