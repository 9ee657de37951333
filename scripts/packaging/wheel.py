# SPDX-License-Identifier: Apache-2.0
"""cuarbiter gives each process of a GPU container the libcuda that works.

The command is not written in Python; this runs it, from the folder that the shim lies in too:

    LD_PRELOAD=$(cuarbiter path) python train.py
"""
import os
import sys


def path():
    """The library for LD_PRELOAD."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), 'libcuarbiter.so')


def main():
    """Becomes the command."""
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'cuarbiter')
    try:
        os.execv(command, ['cuarbiter', *sys.argv[1:]])
    except OSError as error:
        sys.exit('cuarbiter: %s: %s' % (command, error.strerror))
