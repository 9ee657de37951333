# SPDX-License-Identifier: Apache-2.0
"""The machines that the benchmark asks about: folders for CUARBITER_SYSROOT, and a container."""
import contextlib
import glob
import os
import re
import shutil
import subprocess

from measure import CACHE, FIXTURES, TREE, alone, tmp

GPU, GEFORCE = 'NVIDIA A100-SXM4-40GB', 'NVIDIA GeForce RTX 3090'
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


def two_candidates(gpus=1, name='two'):
    """Environment of a machine with the host's driver and a bundled one, both fakes."""
    root = make_root(name, '--kmd', HOST, '--host-umd', HOST, '--compat', BUNDLED,
                     *['--gpu', GPU] * gpus)
    return {'CUARBITER_SYSROOT': root, 'LD_LIBRARY_PATH': COMPAT}


def merge_usr(root):
    """/lib and /lib64 as links, as Debian, Ubuntu and RHEL have them."""
    for name in ('lib', 'lib64'):
        os.makedirs(root + '/usr/' + name, exist_ok=True)
        os.symlink('usr/' + name, root + '/' + name)


def container(name, files, *arguments, gpus=(GPU,), drivers=()):
    """A root folder to chroot to: a machine of make-root's with ld.so's cache, a /proc with the
    kernel driver's folder, the FILES below /bench and what they need. DRIVERS: (path, version), where
    a fake is replaced by a real one. None where it cannot be made: it takes root and the mounts of
    measure.hide_nodes."""
    if not alone():
        return None
    words = [word for gpu in gpus for word in ('--gpu', gpu)]
    root = make_root('container-' + name, '--kmd', HOST, *words, *arguments)
    for path, version in drivers:
        if real(version):
            shutil.copy(os.path.join(real(version), 'libcuda.so.' + version), root + path)
    # A small file has to show more before it counts as a driver.
    for path in glob.glob(root + '/**/libcuda.so.[0-9][0-9]*', recursive=True):
        if os.path.getsize(path) < 8 << 20 and not os.path.islink(path):
            os.truncate(path, 8 << 20)
    merge_usr(root)
    needs = [os.path.join(real(version), 'libcuda.so.1') for _, version in drivers if real(version)]
    needed = subprocess.run(['ldd', *files, *needs], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                            check=False).stdout
    for path in set(re.findall(r'(/\S+) \(0x', needed)):
        os.makedirs(root + os.path.dirname(path), exist_ok=True)
        shutil.copy(path, root + path)
    for loader in glob.glob(root + '/usr/lib*/ld-linux*'):
        shutil.copy(loader, root + LIB)  # where an auditor's libc looks for it
    os.makedirs(root + '/etc', exist_ok=True)
    with open(root + '/etc/ld.so.conf', 'w', encoding='utf-8') as conf:
        conf.write(LIB.removeprefix('/usr') + '\n' + LIB + '\n')  # as Debian has it
    for path in files:
        place = os.path.relpath(path, os.path.join(tmp, 'counted'))
        place = root + '/bench/' + (os.path.basename(path) if place.startswith('..') else place)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy(path, place)
    commands = ('mv "$1/proc/driver" "$1/driver" && mount -t proc proc "$1/proc" && '
                'mount --bind "$1/driver" "$1/proc/driver" && ldconfig -r "$1"')
    if subprocess.run(['sh', '-c', commands, 'sh', root], check=False).returncode:
        return None
    return root


def with_folders(files, count, **more):
    """The native driver alone, and an LD_LIBRARY_PATH of so many folders."""
    folders = ['/opt/lib-%03d' % i for i in range(count)]
    root = container('folders-%d' % count, files, '--host-umd', HOST, **more)
    for folder in folders if root else []:
        os.makedirs(root + folder)
    return root, ':'.join(folders)


def judged(files, count):
    """So many fake drivers, of which the loader takes one that fails: all have to be judged. Those that
    are newer have an ELF note, as cuda-compat has it from 575 on."""
    folders = ['/opt/cuda-%02d/compat' % i for i in range(count)]
    compats = [word for i, folder in enumerate(folders)
               for word in ('--compat', '%d.%d.01:%s' % (580 if i else 530, 10 + i, folder))]
    return container('judged-%d' % count, files, *compats), ':'.join(folders)


def containers(files, many, with_real):
    """NAME: (root folder, LD_LIBRARY_PATH) of what users have, as far as it can be made here. `many`
    drivers to be judged; `with_real`: real ones elsewhere, where they are."""
    native = '%s/libcuda.so.%s' % (LIB, HOST)
    host = [(native, HOST)] if with_real else []
    both = host + [('%s/libcuda.so.%s' % (COMPAT, BUNDLED), BUNDLED)] if with_real else []
    umds = ('--host-umd', HOST)
    plain = container('plain', files, *umds, drivers=host)
    if not plain:
        return {}
    os.unlink(plain + LIB + '/libcuda.so.1')
    os.rename(plain + native, plain + LIB + '/libcuda.so.1')
    return {
        'native alone': (container('native', files, *umds, drivers=host), ''),
        'native, 8 GPUs': (container('gpus', files, *umds, gpus=[GPU] * 8, drivers=host), ''),
        'bundled, kept': (container('bundled', files, *umds, '--compat', BUNDLED, drivers=both), COMPAT),
        'bundled, redirected to native': (container(
            'redirected', files, *umds, '--compat', BUNDLED, gpus=[GEFORCE], drivers=both), COMPAT),
        'native, without a version in its name': (plain, ''),
        'native, LD_LIBRARY_PATH of 100 folders': with_folders(files, 100, drivers=host),
        '2 drivers, all judged': judged(files, 2),
        '%d drivers, all judged' % many: judged(files, many),
    }


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
