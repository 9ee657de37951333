# SPDX-License-Identifier: Apache-2.0
"""Puts a drawn machine on disk and runs its program there: a root file system of its own in namespaces
of its own, with real paths, nodes, mounts and an ld.so.cache."""
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, '../fixtures'), os.path.join(HERE, '../fixtures/fake')]
import table
from built import BUILD

ARCH = os.uname().machine
LIB = '/usr/lib/%s-linux-gnu' % ARCH
CLONE_NEWNS, CLONE_NEWPID = 0x20000, 0x20000000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MARK, SONAME = b'@FAKE-SETTINGS@\n', b'@FAKE-SONAME@-------------------------------'
SECONDS = 10  # a program that takes longer hangs
PARTS = os.environ.get('COMPANY_PARTS') or os.path.join(BUILD, 'tests/company/parts')
libc = ctypes.CDLL(None, use_errno=True)


def must(result, what):
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), what)


def mount(source, target, kind='none', flags=0, data=''):
    must(libc.mount(source.encode(), target.encode(), kind.encode(), flags, data.encode()), target)


def unshare(flags):
    must(libc.unshare(flags), 'unshare')


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def write(path, content, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.islink(path):
        os.unlink(path)
    with open(path, 'wb') as f:
        f.write(content if isinstance(content, bytes) else content.encode())
    os.chmod(path, mode)


def link(path, target):
    if os.path.lexists(path):
        os.unlink(path)
    os.symlink(target, path)


def host_root(folder, program):
    """The least root file system: what this machine's ld.so and libc are."""
    for where in ('usr/lib', 'usr/lib64', 'etc', 'tmp', 'run', 'dev', 'proc', 'sys', 'usr/bin'):
        os.makedirs(os.path.join(folder, where), exist_ok=True)
    for name in ('lib', 'lib64', 'bin'):
        link(os.path.join(folder, name), 'usr/' + name)
    said = subprocess.run(['ldd', program, '/bin/true'], capture_output=True, text=True, check=False).stdout
    names = {word for word in said.split() if word.startswith('/') and not word.endswith(':')}
    names |= {os.path.join(LIB, n) for n in ('libm.so.6', 'libdl.so.2', 'libpthread.so.0', 'librt.so.1')}
    for name in names:
        if os.path.exists(name):
            at = folder + (name if name.startswith('/usr') else '/usr' + name)
            os.makedirs(os.path.dirname(at), exist_ok=True)
            shutil.copy(name, at)
    shutil.copy('/bin/true', folder + '/usr/bin/')


class Bench:
    """What all machines share: the lower layers, templates of libraries."""
    known = {}

    def __init__(self, folder, roots):
        self.folder, self.roots = folder, roots
        self.template = {name: read(os.path.join(PARTS, name)) for name in os.listdir(PARTS)
                         if name.endswith('.so') or name.startswith('app-')}

    @classmethod
    def prepare(cls, folder, build, roots):
        bench = cls.known[folder] = cls(folder, roots)
        os.chmod(folder, 0o755)
        os.mkdir(folder + '/run')
        shared = folder + '/shared'
        for part in ('shim/libcuarbiter.so', 'probe/cuarbiter-answer', 'probe/cuarbiter'):
            write(shared + '/opt/cuarbiter/' + os.path.basename(part), read(os.path.join(build, part)), 0o755)
        for name in ('agent', 'late-hook', 'editing-hook', 'empty'):
            write(shared + '/opt/preload/%s.so' % name, bench.template[name + '.so'], 0o755)
        host_root(folder + '/host', os.path.join(PARTS, 'app-open'))
        return bench

    def lower(self, root):
        other = os.path.join(self.roots, root)
        if root == 'host' or not os.path.exists(other + '/.complete'):
            other = self.folder + '/host'
        return '%s/shared:%s' % (self.folder, other)


class Place:
    """One machine. The process that makes it is in namespaces of its own."""

    def __init__(self, bench, spec):
        self.bench, self.folder = bench, bench.folder + '/run'
        self.root = self.folder + '/root'
        mount('none', self.folder, 'tmpfs', 0, 'mode=755,size=256m')
        for name in ('upper', 'work', 'root', 'mounted'):
            os.mkdir(self.folder + '/' + name)
        mount('none', self.root, 'overlay', 0, 'lowerdir=%s,upperdir=%s/upper,workdir=%s/work'
              % (bench.lower(spec['root']), self.folder, self.folder))
        mount('none', self.root + '/proc', 'proc')
        os.makedirs(self.root + '/sys', exist_ok=True)
        mount('none', self.root + '/sys', 'tmpfs', 0, 'mode=755')
        for where, mode in (('/dev', '755'), ('/run', '755'), ('/tmp', '1777')):
            mount('none', self.root + where, 'tmpfs', 0, 'mode=' + mode)
        for name, minor in (('null', 3), ('zero', 5), ('urandom', 9)):
            os.mknod('%s/dev/%s' % (self.root, name), 0o20666, os.makedev(1, minor))
            os.chmod('%s/dev/%s' % (self.root, name), 0o666)
        os.mkdir(self.root + '/dev/shm')
        os.chmod(self.root + '/dev/shm', 0o1777)
        for user in (0, 1000):
            where = '%s/run/user/%d' % (self.root, user)
            os.makedirs(where)
            os.chown(where, user, user)
            os.chmod(where, 0o700)
        self.mounts, self.drivers, self.files = [], {}, None
        self.program(spec)

    def settle(self, spec):
        """The machine as it is in this run."""
        self.kernel(spec)
        self.nodes(spec)
        files = [spec[key] for key in ('native', 'bundled', 'quota', 'kmd')]
        # A file that stays is the same file: answers that are kept go by it.
        if files == self.files:
            return
        self.files = files
        for at in self.mounts:
            libc.umount2(at.encode(), 2)
        self.mounts = []
        for folder, names in self.drivers.items():
            for name in names:
                if os.path.lexists(folder + '/' + name):
                    os.unlink(folder + '/' + name)
        self.drivers, cache, self.path = {}, [], []
        for driver in [spec['native']] * bool(spec['native']) + spec['bundled']:
            self.driver(driver)
            folder = driver['folder'].format(arch=ARCH)
            if driver['reach'] == 'cache' and folder not in cache:
                cache.append(folder)
            if driver['reach'] == 'path' and folder not in self.path:
                self.path = self.path + [folder] if driver['native'] else [folder] + self.path
        if spec['quota']:
            self.quota(spec)
        write(self.root + '/etc/ld.so.conf', ''.join(f + '\n' for f in cache + ['/usr/local/lib', LIB]))
        subprocess.run(['/sbin/ldconfig', '-r', self.root], check=False, stderr=subprocess.DEVNULL)

    def kernel(self, spec):
        version, line = spec['kmd'], 'NVRM version: NVIDIA UNIX %s Kernel Module  %s  Thu Feb 22 01:44:30 UTC 2024\n'
        write(self.root + '/run/truth/proc/driver/nvidia/version', line % (ARCH, version))
        write(self.root + '/run/truth/fake-gpus', ''.join(
            '%s|%s|%s|%s|%s\n' % (brand_of(gpu), cc_of(gpu), uuid_of(i), '00000000:%02x:00.0' % (i + 1), gpu['name'])
            for i, gpu in enumerate(spec['gpus'])))
        driver = self.folder + '/driver'
        shutil.rmtree(driver, ignore_errors=True)
        os.makedirs(driver + '/driver')
        if spec['proc'] not in ('absent', 'gone'):
            shown = spec['stale'] if spec['proc'] == 'stale' else version
            write(driver + '/driver/nvidia/version', line % (ARCH, shown) + 'GCC version:  gcc version 12.2.0\n')
            for i, gpu in enumerate(spec['gpus']):
                write(driver + '/driver/nvidia/gpus/0000:%02x:00.0/information' % (i + 1),
                      'Model: \t\t %s\nGPU UUID: \t %s\nBus Location: \t 0000:%02x:00.0\nDevice Minor: \t %d\n'
                      % (gpu['name'], uuid_of(i), i + 1, i))
        libc.umount2((self.root + '/proc/driver').encode(), 2)
        mount(driver + '/driver', self.root + '/proc/driver', flags=MS_BIND)
        module = self.root + '/sys/module/nvidia'
        shutil.rmtree(module, ignore_errors=True)
        if spec['proc'] != 'gone':
            write(module + '/version', version + '\n')

    def nodes(self, spec):
        for name in os.listdir(self.root + '/dev'):
            if name.startswith('nvidia'):
                os.unlink(self.root + '/dev/' + name)
        for name, is_open in [('nvidiactl', True), ('nvidia-uvm', True)] + [
                ('nvidia%d' % i, gpu['open']) for i, gpu in enumerate(spec['gpus'])]:
            os.mknod(self.root + '/dev/' + name, 0o20600, os.makedev(1, 3))
            os.chmod(self.root + '/dev/' + name, 0o666 if is_open else 0o600)

    def library(self, folder, name, image, soname):
        write(folder + '/' + name, image)
        self.drivers.setdefault(folder, []).append(name)
        if soname != name:
            link(folder + '/' + soname, name)
            self.drivers[folder].append(soname)

    def driver(self, driver):
        version, branch = driver['version'], int(driver['version'].split('.')[0])
        note = None if driver['native'] else table.note_of(version)
        branches, devices = table.accepted_by(version, note)
        settings = {'version': version, 'cuda': table.cuda_of(version), 'branches': branches, 'devices': devices,
                    'profiles': '/usr/share/nvidia/nvidia-application-profiles-%s-rc' % version}
        image = self.bench.template['umd-%s.so' % version if note else
                                    'umd-new.so' if branch >= 550 else 'umd-old.so']
        where = driver['folder'].format(arch=ARCH)
        into = self.folder + '/mounted' + where if driver['how'] != 'copied' else self.root + where
        name = 'libcuda.so.1' if driver.get('plain') else 'libcuda.so.' + version
        told = tell(image, settings)
        self.library(into, name, told[:3000] if driver.get('cut') else told, 'libcuda.so.1')
        for stem, soname in table.companions(version):
            so = '%s.so.%s' % (stem, soname or version)
            self.library(into, '%s.so.%s' % (stem, version), tell(self.bench.template['companion.so'].replace(
                SONAME, so.encode().ljust(len(SONAME), b'\0')), {'version': version}), so)
        if driver['native']:
            self.library(into, 'libnvidia-ml.so.' + version, tell(self.bench.template['ml.so'], settings),
                         'libnvidia-ml.so.1')
        if driver['how'] == 'folder':
            os.makedirs(self.root + where, exist_ok=True)
            mount(into, self.root + where, flags=MS_BIND)
            self.mounts.append(self.root + where)
        if driver['how'] == 'files':
            for file in self.drivers.pop(into):
                at = self.root + where + '/' + file
                if os.path.islink(into + '/' + file):
                    link(at, os.readlink(into + '/' + file))
                else:
                    write(at, '')
                    mount(into + '/' + file, at, flags=MS_BIND)
                    self.mounts.append(at)
                self.drivers.setdefault(self.root + where, []).append(file)

    def quota(self, spec):
        """A metering library under both names, first in the path; the real ones elsewhere."""
        real, over = self.root + '/usr/local/nvidia/real', self.root + '/usr/local/nvidia/over'
        settings = {'version': spec['kmd'], 'cuda': table.cuda_of(spec['kmd']), 'branches': '', 'devices': ''}
        new = int(spec['kmd'].split('.')[0]) >= 550
        self.library(real, 'libcuda.so.real', tell(self.bench.template['umd-%s.so' % ('new' if new else 'old')],
                                                   settings), 'libcuda.so.real')
        self.library(real, 'libnvidia-ml.so.real', tell(self.bench.template['ml.so'], settings), 'libnvidia-ml.so.real')
        for name in ('libcuda.so.1', 'libnvidia-ml.so.1'):
            self.library(over, name, self.bench.template['quota.so'], name)
        self.path.insert(0, '/usr/local/nvidia/over')

    def program(self, spec):
        way, runtime = spec['program']['way'], '-cudart' if spec['program']['runtime'] else ''
        self.now = '-now' in way and way.startswith('plugin')
        base = way.replace('-now', '') if self.now else way
        names = ['app-%s%s' % (base, runtime)]
        if base.startswith('plugin'):
            names.append(base + runtime + '.so')
        runtime = 'libcudart.so.%d' % (spec['program']['need'] // 1000)
        self.program_file = '/app/' + names[0]
        for name in names:
            write(self.root + '/app/' + name, self.bench.template[name].replace(
                b'libcudart.so.@@', runtime.encode()), 0o755)
        write(self.root + '/app/lib/' + runtime, self.bench.template['libcudart.so'].replace(
            b'libcudart.so.@@', runtime.encode()))
        # What a plugin needs, where no RUNPATH leads.
        write('%s%s/%s' % (self.root, LIB, runtime), read(self.root + '/app/lib/' + runtime))

    def environment(self, spec, preload):
        env = {'PATH': '/usr/bin', 'HOME': '/', 'HOOK_TAKES': '1', 'FAKE_ROOT': '/run/truth', 'FAKE_NODES': '/dev'}
        for key, value in spec['env'].items():
            env[key] = uuid_of(int(value[5:])) if value.startswith('uuid:') else value
        if self.path:
            env['LD_LIBRARY_PATH'] = ':'.join(self.path)
        if spec['kept']:
            env['XDG_RUNTIME_DIR'] = '/run/user/%d' % spec['user']
        if preload:
            env['LD_PRELOAD'] = ':'.join(preload)
        return env

    def run(self, spec, shim, forced=None):
        """Runs the program; (exit status, output), -1 for one that hangs."""
        other = ['/opt/preload/%s.so' % spec['preload']] if spec['preload'] else []
        ours = ['/opt/cuarbiter/libcuarbiter.so'] if shim else []
        in_file = self.root + '/etc/ld.so.preload'
        write(in_file, '\n'.join(ours) + '\n' if spec['by_file'] else '')
        preload = [forced] * bool(forced)
        if spec['by_file']:
            preload += other
        else:
            preload += other + ours if spec['before'] else ours + other
        args = [self.program_file, str(spec['program']['need'])] + ['now'] * self.now
        return execute(self.root, spec['user'], args, self.environment(spec, preload))


def execute(root, user, args, env):
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(into, 1)
            os.dup2(into, 2)
            os.closerange(3, 64)
            os.chroot(root)
            os.chdir('/')
            if user:
                os.setgroups([])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
            os.execve(args[0], args, env)
        finally:
            os._exit(126)
    os.close(into)
    text, end = b'', time.monotonic() + SECONDS
    os.set_blocking(out, False)
    while True:
        try:
            more = os.read(out, 65536)
            text += more
            if not more:
                break
        except BlockingIOError:
            if time.monotonic() > end:
                break
            time.sleep(0.0005)
    os.close(out)
    if time.monotonic() > end:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if time.monotonic() > end:
        return -1, text.decode(errors='replace')
    return os.waitstatus_to_exitcode(status) % 256, text.decode(errors='replace')


def tell(image, settings):
    lines = ''.join('%s=%s\n' % (key, ','.join(map(str, value)) if isinstance(value, list) else value)
                    for key, value in settings.items())
    at = image.index(MARK)
    return image[:at] + (MARK + lines.encode()).ljust(1040, b'\0') + image[at + 1040:]


def brand_of(gpu):
    return gpu['brand'] or table.brand_of(gpu['name'])


def cc_of(gpu):
    return '9.0' if 'Unheard' in gpu['name'] else table.cc_of(gpu['name'])


def uuid_of(index):
    return 'GPU-6a1c8f52-3d0e-5f6b-9c1d-2b7f4e8a9d%02x' % index
