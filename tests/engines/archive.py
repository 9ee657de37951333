#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Images as `docker save` writes them, for `ctr image import`: archive.py OUT LAYER.tar {NAME: {config}, ...}; each is
that one layer, with its own configuration."""
import hashlib
import io
import json
import sys
import tarfile

out, layer, images = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
digest = hashlib.sha256()
with open(layer, 'rb') as file:
    while part := file.read(1 << 20):
        digest.update(part)
with tarfile.open(out, 'w') as archive:
    archive.add(layer, 'layer.tar')

    def put(name, value):
        text = json.dumps(value).encode()
        member = tarfile.TarInfo(name)
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))

    manifest = []
    for number, (name, config) in enumerate(images.items()):
        put('%d.json' % number, {'architecture': 'amd64', 'os': 'linux', 'config': config,
                                 'rootfs': {'type': 'layers', 'diff_ids': ['sha256:' + digest.hexdigest()]}})
        manifest.append({'Config': '%d.json' % number, 'RepoTags': [name], 'Layers': ['layer.tar']})
    put('manifest.json', manifest)
