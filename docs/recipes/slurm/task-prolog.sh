#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A job's own LD_PRELOAD survives: the shim is added behind it.
# Run with Slurm 22.05.8, srun with two ranks, sbatch, an array: tests/launchers/slurm.sh.
#
# For jobs without a container. Copy this, executable, to where every node has it, and then name it in
# slurm.conf: TaskProlog=/etc/slurm/task-prolog.sh, or call it from the TaskProlog that you have. Slurm
# ends every task of a node on which the TaskProlog is missing or cannot be executed. cuarbiter's files
# lie in /opt/cuarbiter of the nodes; on a node without them this does nothing. What a TaskProlog prints
# as `export NAME=value` goes into the task's environment.
# Removal: take the line out of slurm.conf.
shim=/opt/cuarbiter/libcuarbiter.so
[ -r "$shim" ] || exit 0

case ":${LD_PRELOAD:-}:" in
*":$shim:"*) ;;
*) echo "export LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$shim" ;;
esac
