# SPDX-License-Identifier: Apache-2.0
"""The machines that the benchmark asks about: folders for CUARBITER_SYSROOT, and a container."""
import contextlib
import os
import re
import shutil
import subprocess

from measure import CACHE, FIXTURES, TREE, alone, tmp

GPU = 'NVIDIA A100-SXM4-40GB'
HOST, BUNDLED = '535.261.03', '550.163.01'
COMPAT = '/usr/local/cuda/compat'
LIB = '/usr/lib/%s-linux-gnu' % os.uname().machine
CACHE_FILE = '/etc/ld.so.cache'


def make_root(name, *arguments):
    root = os.path.join(tmp, 'machine-' + name)
    subprocess.run([os.path.join(TREE, 'tests/fixtures/fake/make-root'), '--build', FIXTURES, root,
                    *arguments], check=True, stdout=subprocess.DEVNULL)
    return root


def real(version):
    """A real driver's folder, or None."""
    folder = os.path.join(CACHE, 'drivers', version)
    return folder if os.path.exists(os.path.join(folder, 'libcuda.so.1')) else None


def put_real(root):
    """The fake drivers' files become the real ones."""
    for folder, version in ((LIB, HOST), (COMPAT, BUNDLED)):
        if real(version):
            name = 'libcuda.so.' + version
            shutil.copy(os.path.join(real(version), name), root + folder + '/' + name)


def two_candidates(gpus=1, name='two'):
    """Environment of a machine with the host's driver and a bundled one, both fakes."""
    root = make_root(name, '--kmd', HOST, '--host-umd', HOST, '--compat', BUNDLED,
                     *['--gpu', GPU] * gpus)
    return {'CUARBITER_SYSROOT': root, 'LD_LIBRARY_PATH': COMPAT}


def real_candidates():
    """The same, with the files of real drivers."""
    env = two_candidates(name='real')
    put_real(env['CUARBITER_SYSROOT'])
    return env


def merge_usr(root):
    """/lib and /lib64 as links, as Debian, Ubuntu and RHEL have them."""
    for name in ('lib', 'lib64'):
        os.makedirs(root + '/usr/' + name, exist_ok=True)
        os.symlink('usr/' + name, root + '/' + name)


def container(name, files, *arguments, drivers=()):
    """A root folder to chroot to: a machine of make-root's with ld.so's cache, a /proc with the
    kernel driver's folder, the FILES below /bench and what they need. DRIVERS: (path, version), where
    a fake is replaced by a real one. None where it cannot be made: it takes root and the mounts of
    measure.hide_nodes."""
    if not alone() or not all(real(version) for _, version in drivers):
        return None
    root = make_root('container-' + name, '--kmd', HOST, '--gpu', GPU, *arguments)
    for path, version in drivers:
        shutil.copy(os.path.join(real(version), 'libcuda.so.' + version), root + path)
    merge_usr(root)
    needed = subprocess.run(['ldd', *files], stdout=subprocess.PIPE, text=True, check=True).stdout
    for path in set(re.findall(r'(/\S+) \(0x', needed)):
        os.makedirs(root + os.path.dirname(path), exist_ok=True)
        shutil.copy(path, root + path)
    os.makedirs(root + '/etc', exist_ok=True)
    os.mkdir(root + '/bench')
    for path in files:
        shutil.copy(path, root + '/bench/')
    commands = ('mv "$1/proc/driver" "$1/driver" && mount -t proc proc "$1/proc" && '
                'mount --bind "$1/driver" "$1/proc/driver" && ldconfig -r "$1"')
    if subprocess.run(['sh', '-c', commands, 'sh', root], check=False).returncode:
        return None
    return root


def containers(files):
    """NAME: (root folder, LD_LIBRARY_PATH) of what users have, as far as it can be made here."""
    native = ('%s/libcuda.so.%s' % (LIB, HOST), HOST)
    host = ('--host-umd', HOST)
    folders = ['/opt/lib-%03d' % i for i in range(100)]
    bundled = ['/opt/cuda-%02d/compat' % i for i in range(64)]
    compats = [word for i, folder in enumerate(bundled)
               for word in ('--compat', '%d.%d.01:%s' % (580 if i else 530, 10 + i, folder))]
    made = {
        'native alone': (container('native', files, *host, drivers=[native]), ''),
        'native and a bundled one': (container(
            'bundled', files, *host, '--compat', BUNDLED, drivers=[
                native, ('%s/libcuda.so.%s' % (COMPAT, BUNDLED), BUNDLED)]), COMPAT),
        'native, a libcuda.so.1 without a version': (container(
            'plain', files, *host, drivers=[native]), ''),
        'native, LD_LIBRARY_PATH of 100 folders': (container(
            'folders', files, *host, drivers=[native]), ':'.join(folders)),
        '64 candidates, all judged': (container('judged', files, *compats), ':'.join(bundled)),
    }
    root = made['native, a libcuda.so.1 without a version'][0]
    if root:
        os.unlink(root + LIB + '/libcuda.so.1')
        os.rename(root + native[0], root + LIB + '/libcuda.so.1')
    root = made['native, LD_LIBRARY_PATH of 100 folders'][0]
    for folder in folders if root else []:
        os.makedirs(root + folder)
    return {name: place for name, place in made.items() if place[0]}


def many_candidates(count=64):
    """Each with an ELF note, as cuda-compat has it from 575 on."""
    folders = ['/opt/cuda-%02d/compat' % i for i in range(1, count)]
    compats = []
    for i, folder in enumerate(folders):
        compats += ['--compat', '580.%d.01:%s' % (10 + i, folder)]
    root = make_root('many', '--kmd', HOST, '--host-umd', HOST, '--gpu', GPU, *compats)
    return {'CUARBITER_SYSROOT': root, 'LD_LIBRARY_PATH': ':'.join(folders)}


def libraries(template, count, name='new'):
    """A FORMAT for bench-each: so many copies of a library, new ones all."""
    folder = os.path.join(tmp, name)
    os.mkdir(folder)
    for i in range(count):
        shutil.copy(template, os.path.join(folder, 'libplugin-%04d.so' % i))
    return os.path.join(folder, 'libplugin-%.so')


def needed(count, needs):
    """So many libraries that need nothing, and one that needs some of them: a FORMAT for bench-each
    and a path."""
    folder = os.path.join(tmp, 'needed')
    os.mkdir(folder)
    name = 'libneeded-0000.so'
    build = [os.environ.get('CC', 'cc'), '-shared', '-fPIC', '-nostdlib', '-x', 'c', '/dev/null', '-o']
    subprocess.run([*build, os.path.join(folder, 'first'), '-Wl,-soname,' + name], check=True)
    with open(os.path.join(folder, 'first'), 'rb') as first:
        bytes_of = first.read()
    for i in range(count):
        own = 'libneeded-%04d.so' % i
        with open(os.path.join(folder, own), 'wb') as library:
            library.write(bytes_of.replace(name.encode(), own.encode()))
    outer = os.path.join(folder, 'libouter.so')
    some = [os.path.join(folder, 'libneeded-%04d.so' % (i * count // needs)) for i in range(needs)]
    subprocess.run([*build, outer, '-x', 'none', '-Wl,--no-as-needed', *some], check=True)
    return os.path.join(folder, 'libneeded-%.so'), outer


@contextlib.contextmanager
def cached(folder):
    """The machine's ld.so.cache knows the folder too, for this process and its children; False where
    nobody may put another file in its place."""
    file = os.path.join(tmp, 'ld.so.cache')
    with open(file + '.conf', 'w', encoding='utf-8') as conf:
        conf.write(folder + '\ninclude /etc/ld.so.conf\n')
    made = alone() and not subprocess.run(
        ['/sbin/ldconfig', '-X', '-f', file + '.conf', '-C', file], check=False).returncode
    made = made and not subprocess.run(['mount', '--bind', file, CACHE_FILE],
                                       check=False).returncode
    yield made
    if made:
        subprocess.run(['umount', CACHE_FILE], check=True)
