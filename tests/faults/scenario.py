# SPDX-License-Identifier: Apache-2.0
"""The requests in which something fails: machine, program and both answers."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../fixtures'))
from built import BUILD, COMMAND, ANSWERER, FIXTURES, SHIM, TREE

HERE = os.path.join(BUILD, 'tests/faults')

MACHINE = '--kmd 535.161.07 --host-umd 535.161.07 --compat 550.54.15'
GEFORCE = MACHINE.split() + ['--gpu', 'NVIDIA GeForce RTX 4090']
UNKNOWN = '--kmd 535.161.07 --brand UNKNOWN --host-umd 535.161.07%s --compat 550.54.15,nonote,cuinit=%d'
OPEN_ONE = (UNKNOWN % ('', 804)).split() + ['--gpu', 'NVIDIA Unknown 9999']
SOUND = (UNKNOWN % (',cuinit=46', 0)).split() + ['--gpu', 'NVIDIA Unknown 9999']
SITE = GEFORCE + ['--host-umd', '535.161.07:/site,cuinit=46']
PLUGIN = FIXTURES + '/programs/plugin.so'
LIMIT = {'CUARBITER_TRIAL_TIMEOUT': '2'}
LOG = {'CUARBITER_LOG': 'debug', 'CUARBITER_LOG_FILE': '%RUN/log'}

# Name: arguments of make-root, variables, program, and what is run (inject.c).
SCENARIOS = {
    'named': (GEFORCE, {}, ['program'], 'f'),
    'plugin': (GEFORCE, {}, ['program', PLUGIN], 'f'),
    'linked': (GEFORCE, {}, ['linked'], 'f'),
    'trial': (OPEN_ONE, LIMIT, ['program'], 'fn'),
    'kept': (OPEN_ONE, LIMIT, ['program'], 'bfn'),
    # What the loader takes works, the native driver does not.
    'sound': (SOUND, LIMIT, ['program'], 'fn'),
    'sound-plugin': (SOUND, LIMIT, ['program', PLUGIN], 'fn'),
    'sound-linked': (SOUND, LIMIT, ['linked'], 'fn'),
    'log': (GEFORCE, LOG, ['program'], 'f'),
    'warning': (GEFORCE, {'CUARBITER_LIBCUDA': '/none'}, ['program'], 'fn'),
    # The helper hangs, whatever it gets.
    'hang': (OPEN_ONE, LIMIT, ['program'], 'f'),
    # In a machine with real drivers (real.sh): the newer one comes first in ld.so.cache.
    'real': (None, {}, ['program'], 'f'),
    'real-trial': (None, LIMIT, ['program'], 'fn'),
    # With /etc/cuarbiter.conf, which names a driver, and with tables of the site's own.
    'site': (SITE, LOG, ['program'], 'f'),
    'data': (OPEN_ONE, LIMIT, ['program'], 'fn'),
    'nothing': (MACHINE.replace(' --host-umd 535.161.07', '').split() + GEFORCE[-2:], {}, ['program'], 'f'),
    'warned': (GEFORCE, {'CUARBITER_LIBCUDA': '/none'}, ['program'], 'bf'),
}
# Both answers are the same.
SAME = ('nothing', 'hang', 'sound', 'sound-plugin', 'sound-linked')


class Scenario:
    """NAME-here: without a sysroot, on a machine with an NVIDIA driver, which apart() makes."""

    def __init__(self, name, folder):
        machine, more, program, self.rounds = SCENARIOS[name.removesuffix('-here')]
        self.name, self.folder = name, folder
        self.home = os.path.join(folder, 'home')
        self.machine = os.path.join(folder, 'machine')
        self.more = more
        os.mkdir(self.home)
        for file in (SHIM, ANSWERER, COMMAND):
            shutil.copy(file, self.home)
        # Where another user may reach it; the build may lie in a folder that is root's alone.
        self.program = [shutil.copy(file, self.home)
                        for file in [os.path.join(HERE, program[0])] + program[1:]]
        self.bare_env = {'PATH': '/usr/bin:/bin', **{key: value for key, value in os.environ.items()
                                                     if key.startswith('STANDIN_')}}
        self.gone = self.default = None
        if machine:
            self.make(name, machine)

    def make(self, name, machine):
        subprocess.check_call([TREE + '/tests/fixtures/fake/make-root', '--build', FIXTURES, self.machine]
                              + machine, stdout=subprocess.DEVNULL)
        path = [self.machine + '/usr/local/cuda/compat']
        self.bare_env['FAKE_ROOT'] = self.machine
        if name.endswith('-here'):
            path.append('%s/usr/lib/%s-linux-gnu' % (self.machine, os.uname().machine))
            shutil.copytree(self.machine + '/proc/driver', '/proc/driver', dirs_exist_ok=True)
        else:
            self.bare_env['CUARBITER_SYSROOT'] = self.machine
        self.bare_env['LD_LIBRARY_PATH'] = ':'.join(path)

        # What it gets where the driver is not there that the loader would take, and without a site.
        if name.startswith('sound'):
            self.gone = self.native() if 'linked' in name else self.without(path[0])
        if name.startswith(('site', 'data')):
            self.default = self.site(name)
        if name.startswith('hang'):
            with open(self.home + '/cuarbiter', 'w', encoding='ascii') as file:
                file.write('#!/bin/sh\nexec sleep 100\n')

    def without(self, folder):
        os.rename(folder, folder + '.away')
        answer = self.answer(self.env(0))
        os.rename(folder + '.away', folder)
        shutil.rmtree(self.run_folder(0))
        return answer

    def native(self):
        """A linked program does not even start without it; if it cannot be tried, the other one comes."""
        answer = self.answer(dict(self.env(0), CUARBITER_POLICY='host'))
        shutil.rmtree(self.run_folder(0))
        return answer

    def site(self, name):
        default = self.answer(self.env(0))
        shutil.rmtree(self.run_folder(0))
        shutil.copytree(TREE + '/data', '/etc/cuarbiter/data', dirs_exist_ok=True)
        if name.startswith('site'):
            with open('/etc/cuarbiter.conf', 'w', encoding='utf-8') as file:
                file.write('# The site\nlock=CUARBITER_LIBCUDA, CUARBITER_POLICY\nCUARBITER_POLICY=auto\n'
                           'CUARBITER_LIBCUDA=%s/site/libcuda.so.1\n' % self.machine)
        return default

    def run_folder(self, number):
        folder = os.path.join(self.folder, 'run%d' % number)
        os.makedirs(folder, 0o700, exist_ok=True)
        return folder

    def env(self, number):
        folder = self.run_folder(number)
        more = {key: value.replace('%RUN', folder) for key, value in self.more.items()}
        return {**self.bare_env, **more, 'XDG_RUNTIME_DIR': folder,
                'LD_PRELOAD': self.home + '/libcuarbiter.so'}

    def answer(self, env, before=None):
        """How it ends, and what it prints."""
        done = subprocess.run(self.program, env=env, preexec_fn=before, capture_output=True, text=True,
                              errors='replace', timeout=60, check=False)
        status = 'exit %d' if done.returncode >= 0 else 'signal %d'
        return status % abs(done.returncode), done.stdout.replace('\n', '\\n')


def private_folder():
    """One that nobody else can write, nor what lies above it: a driver in /tmp is not trusted."""
    if os.environ.get('FAULTS_APART') == 'all':
        return tempfile.TemporaryDirectory(prefix='cuarbiter-test.', dir='/mnt')
    cache = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    above = os.path.join(os.environ.get('CUARBITER_CACHE') or cache + '/cuarbiter', 'tmp')
    os.makedirs(above, exist_ok=True)
    return tempfile.TemporaryDirectory(prefix='cuarbiter-test.', dir=above)


ALONE = 'mount -t proc proc /proc && mount -t tmpfs -o mode=755 none /proc/driver && '
OWN_ETC = 'mount -t tmpfs none /mnt && mkdir /mnt/etc /mnt/work && mount -t overlay none /etc ' \
    '-o lowerdir=/etc,upperdir=/mnt/etc,workdir=/mnt/work && '
# Nothing can be kept but where the test allows it, and nothing is in the way of another user.
ALL = ALONE + 'mount -t tmpfs -o ro none /run && mount -t tmpfs -o ro none /tmp && ' \
    'mount -t tmpfs -o mode=755,size=64m none /mnt && '


def apart(how, mounts):
    """Starts the script once more, in namespaces of its own. False if that cannot be."""
    if os.environ.get('FAULTS_APART'):
        return True
    command = ['unshare', '-mp', '--fork', '--kill-child', 'sh', '-c', mounts + 'exec "$@"', 'sh']
    if subprocess.run(command + ['true'], stderr=subprocess.DEVNULL, check=False).returncode:
        return False
    os.environ['FAULTS_APART'] = how
    sys.stdout.flush()
    os.execvp(command[0], command + [sys.executable, os.path.abspath(sys.argv[0])] + sys.argv[1:])


class Tap:
    count = failed = 0

    def check(self, good, name):
        self.count += 1
        self.failed += not good
        print('%sok %d - %s' % ('' if good else 'not ', self.count, name))


def run_all(walk):
    """walk(name, folder, tap) for each name on the command line. The exit status."""
    tap = Tap()
    here = any(name.endswith('-here') for name in sys.argv[1:])
    site = any(name.startswith(('site', 'data')) for name in sys.argv[1:])
    here = here and apart('here', ALONE + (OWN_ETC if site else ''))
    for name in sys.argv[1:]:
        if name.endswith('-here') and not here:
            tap.check(True, name + ' # SKIP no namespaces here')
            continue
        with private_folder() as folder:
            walk(name, folder, tap)
    print('1..%d' % tap.count)
    return 1 if tap.failed else 0


def run_all_traced(walk):
    """The same for a walk that traces, which not every machine can."""
    if not shutil.which('strace'):
        print('1..0 # SKIP no strace here')
        return os.environ.get('CUARBITER_MUST_RUN') == '1'
    if subprocess.run(['strace', '-o', '/dev/null', 'true'], stderr=subprocess.DEVNULL).returncode:
        print('1..0 # SKIP processes cannot be traced here')
        return 0
    return run_all(walk)
