#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Slurm: munged, slurmctld and slurmd on a node of their own, with the recipe as TaskProlog.
# shellcheck source=tests/launchers/lib.sh disable=SC2154
. "$(dirname "$0")/lib.sh"
need_layer slurm slurm-wlm munge

# On the node: slurm.conf with and without the recipe, three daemons, then jobs.
cat >"$tmp/node" <<'END'
set -eu
tree=$1 prolog=$2 programs=$3 out=$4
mkdir -p "$out"
exec >"$out/log" 2>&1
set -x
. "$tree/tests/launchers/slurm-node.sh"
slurm_start TaskPlugin=task/none "$prolog"
sinfo >"$out/sinfo"
for p in dlopen linked; do
    srun -n 2 "$programs/init-$p" >"$out/srun-$p" || :
done
printf '#!/bin/sh\nsrun -n 2 %s/init-dlopen\n%s/init-linked\n' "$programs" "$programs" >/tmp/job
sbatch -W -n 2 -o "$out/sbatch" /tmp/job || :
printf '#!/bin/sh\nsrun %s/init-dlopen\n' "$programs" >/tmp/job
sbatch -W --array=1-2 -o "$out/array-%a" /tmp/job || :
printf '#!/bin/sh\nexport LD_PRELOAD=/opt/cuarbiter/libcuarbiter.so\nsrun -n 2 %s/init-dlopen\n%s/init-linked\n' \
    "$programs" "$programs" >/tmp/job
sbatch -W -n 2 -o "$out/own" /tmp/job || :
cat /var/log/slurm/ctld /var/log/slurm/d
END
# shellcheck disable=SC2016
jobs() { # MACHINE PROLOG-LINE LABEL
    machine "$1" sh -c 'cp "$1" /opt/cuarbiter/task-prolog.sh && chmod 755 /opt/cuarbiter/task-prolog.sh &&
        shift && exec sh "$@"' sh "$tree/docs/recipes/slurm/task-prolog.sh" "$tmp/node" "$tree" "$2" "$programs" "$tmp/$3"
}
version=$(machine none slurmctld -V 2>/dev/null)
jobs wrong '' bare
like "$(cat "$tmp/bare/sinfo" 2>&1)" '*idle*' "$version: a node that takes jobs"
jobs wrong TaskProlog=/opt/cuarbiter/task-prolog.sh recipe
said() { # FOLDER PATTERN
    # shellcheck disable=SC2086
    answers "$(cat "$tmp/$1"/$2 2>&1)"
}
for p in dlopen linked; do
    is "$(said bare srun-$p)" '2 cuInit=803 ' "$version, srun, two ranks, $p: bare"
    is "$(said recipe srun-$p)" '2 cuInit=100 ' "$version, srun, two ranks, $p: TaskProlog"
done
is "$(said bare sbatch)" '3 cuInit=803 ' "$version, sbatch, with srun in it: bare"
is "$(said recipe sbatch)" '3 cuInit=100 ' "$version, sbatch, with srun in it: TaskProlog"
is "$(said bare own)" '3 cuInit=100 ' "$version, a job that sets LD_PRELOAD itself"
is "$(said recipe own)" '3 cuInit=100 ' "$version, a job that sets LD_PRELOAD itself: TaskProlog"
is "$(said bare 'array-*')" '2 cuInit=803 ' "$version, an array: bare"
is "$(said recipe 'array-*')" '2 cuInit=100 ' "$version, an array: TaskProlog"
# Why the recipe says to copy first.
jobs wrong TaskProlog=/opt/cuarbiter/missing.sh lost
is "$(said lost 'srun-*')" '' "$version: no task starts where the TaskProlog is missing"
finish
