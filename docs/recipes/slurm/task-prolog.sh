#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A job's own LD_PRELOAD survives: the shim is added behind it.
# Run with Slurm 22.05.8, srun with two ranks, sbatch, an array: tests/launchers/slurm.sh.
#
# For jobs without a container. In slurm.conf: TaskProlog=/opt/cuarbiter/task-prolog.sh, or call
# this from the TaskProlog that you have; the files in /opt/cuarbiter of every node. What a
# TaskProlog prints as `export NAME=value` goes into the task's environment.
# Removal: take the line out of slurm.conf.
shim=/opt/cuarbiter/libcuarbiter.so
[ -r "$shim" ] || exit 0

case ":${LD_PRELOAD:-}:" in
*":$shim:"*) ;;
*) echo "export LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$shim" ;;
esac
