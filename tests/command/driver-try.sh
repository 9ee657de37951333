#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter driver try: a kernel on each GPU with a brought driver, in a child process; its answer counts
# for programs on this machine. Drivers and the CUDA runtime are fakes.

# shellcheck source=tests/command/driver-lib.sh
. "$(dirname "$0")/driver-lib.sh"
home=$files
# shellcheck source=tests/fixtures/brought.sh disable=SC1091
. "$(dirname "$0")/../fixtures/brought.sh"
need_tool jq
export XDG_RUNTIME_DIR="$tmp/run"
unset CUARBITER_DRIVERS CUARBITER_POLICY CUARBITER_TRIAL CUARBITER_LOG
kmd=550.54.15 lib=/usr/lib/$(uname -m)-linux-gnu

machine() { # GPU...: with nothing brought
    rm -rf "$tmp/machine" "$tmp/run" "$home/drivers"
    mkdir -m 700 "$tmp/run"
    for gpu in "$@"; do set -- "$@" --gpu "$gpu" && shift; done
    make_root "$tmp/machine" --kmd $kmd --host-umd $kmd "$@" >/dev/null
    export CUARBITER_SYSROOT="$tmp/machine" FAKE_ROOT="$tmp/machine"
}
program() { # what a program of CUDA 13 gets: CODE VERSION
    LD_LIBRARY_PATH="$tmp/machine$lib" LD_PRELOAD="$home/libcuarbiter.so" "$tmp/app/program" \
        "$tmp/app/libcudart.so.13" 2>/dev/null | sed 's,/[^ ]*/libcuda\.so\.,,'
}
rows() { tr '\t' '|' <"$home/drivers/$1.runs"; }
fails() { # PATTERN NAME
    run driver try 580.95.05
    like "$rc:$out:$err" "1::cuarbiter: 580.95.05: $1" "$2"
}
none() { # NAME: nothing was kept
    is "$(find "$home/drivers" -maxdepth 1 -name '*runs*')" '' "$1: not kept"
}

# One that nothing is known about runs after it was tried.
machine 'NVIDIA A100-SXM4-80GB'
bring 580.95.05 nonote
is "$(program)" "35 $kmd" 'nothing shows that it runs'
run driver try 580.95.05
is "$rc:$err:$out" "0::580.95.05 ran a kernel on 1 GPU, with kernel driver $kmd; programs here can get it" 'it is tried'
is "$(rows 580.95.05)" "$kmd|80|runs|NVIDIA A100-SXM4-80GB" 'the row of this machine'
is "$(program)" '0 580.95.05' 'then a program gets it'
run status --toolkit 13.0
like "$(echo "$out" | tr -s '\n ' ' ')" "*its note, a report or 'driver try' shows that it runs here*" 'status says why'
is "$(rm -rf "$tmp/run"; mkdir -m 700 "$tmp/run"; chmod o+w "$home/drivers/580.95.05.runs"; program)" "35 $kmd" 'a row that others could have written'
chmod o-w "$home/drivers/580.95.05.runs"
run driver check
is "$rc" 0 'check: its files are unchanged'
cp -a "$home/drivers" "$tmp/elsewhere"
run driver --store "$tmp/elsewhere" try
is "$rc:$err:$out" "0::580.95.05 ran a kernel on 1 GPU, with kernel driver $kmd" 'a folder where no program looks'
run driver list
is "$(echo "$out" | wc -l)" 2 'list: the rows are no driver'
run driver --json try
is "$rc:$(json '.[] | [.version, .runs, .trouble, .kept] | tojson')" '0:["580.95.05",true,null,true]' 'all of the store, as JSON'
CUDA_VISIBLE_DEVICES='' run driver try
is "$rc:$out" "0:580.95.05 ran a kernel on 1 GPU, with kernel driver $kmd; programs here can get it" 'GPUs that this shell hides'
mkdir -p "$tmp/machine/proc/driver/nvidia/capabilities/gpu0/mig/gi1"
run driver try
is "$rc:$out" "0:580.95.05 ran a kernel on 1 GPU, with kernel driver $kmd; on a part of a GPU (MIG) programs get it only if CUARBITER_LIBCUDA names it" 'a part of a GPU'
rm -r "$tmp/machine/proc/driver/nvidia/capabilities"
run driver remove --now 580.95.05
none 'remove --now'
bring 555.42.02 nonote
run driver try
is "$rc:$err:$out" "0::555.42.02 ran a kernel on 1 GPU, with kernel driver $kmd; programs here do not need it: the host's driver has CUDA 12.4, which starts programs of CUDA 12" 'one of the CUDA that the host has'
run driver remove --now 555.42.02

# One with a note on which no kernel runs.
machine 'NVIDIA A100-SXM4-80GB' 'NVIDIA H100 80GB HBM3'
bring 580.95.05 kernel=999
is "$(program)" '0 580.95.05' 'its note says that it runs, and cuInit does'
fails 'does not run here: running the kernel failed with 999 CUDA_ERROR_UNKNOWN on GPU 0; cuarbiter chooses it for no program here until a later try succeeds' 'no kernel runs'
is "$(rows 580.95.05)" "$kmd|80|fails|NVIDIA A100-SXM4-80GB
$kmd|90|fails|NVIDIA H100 80GB HBM3" 'the rows'
is "$(program)" "35 $kmd" 'then no program gets it'
run status --toolkit 13.0
like "$(echo "$out" | tr -s '\n ' ' ')" "*'cuarbiter driver try' found that a CUDA kernel does not run with 580.95.05 on every GPU here*'cuarbiter driver add' cannot help: 580.95.05, which fits best, has been added already. *" 'status says why'
for row in 'wrong=1|does not run here: on GPU 0: wrong result (while running the kernel)*' \
    'kernel=-1|does not run here: the child process that tried it ended by signal 6 (while running the kernel)*' \
    'kernel=2|did not run this time: running the kernel failed with 2 * on GPU 0' \
    'kernel=802|did not run this time: running the kernel failed with 802 * on GPU 0' \
    'cuinit=803|does not run here: cuInit failed with 803 *' \
    'cuinit=999|does not run here: cuInit failed with 999 *' \
    'crash|does not run here: * (in cuInit)'; do
    rm -rf "$home/drivers"
    bring 580.95.05 "${row%%|*}"
    fails "${row#*|}" "${row%%|*}"
    case $row in
    wrong* | kernel=-*) is "$(rows 580.95.05 | grep -c fails)" 2 "${row%%|*}: kept" ;;
    *) none "${row%%|*}" ;;
    esac
done
rm -rf "$home/drivers"
bring 580.95.05
rm "$home/drivers/580.95.05/libnvidia-nvvm.so.4"
run driver try 580.95.05
like "$rc:$err" '1:cuarbiter: 580.95.05: does not run here: running the kernel failed with 221 *' 'without a compiler of PTX'

# The rows of other machines stay; those of this one are replaced.
rm -rf "$home/drivers"
bring 580.95.05
printf '%s\t%s\t%s\t%s\n' 535.161.07 80 runs 'NVIDIA A100-SXM4-80GB' $kmd 80 fails 'NVIDIA A100-SXM4-80GB' x y z '' >"$home/drivers/580.95.05.runs"
: >"$home/drivers/.new-runs" # left by one that was killed
run driver try
is "$(find "$home/drivers" -maxdepth 1 -name '*new*')" '' 'nothing of an earlier one is left'
is "$rc:$(rows 580.95.05)" "0:$kmd|80|runs|NVIDIA A100-SXM4-80GB
$kmd|90|runs|NVIDIA H100 80GB HBM3
535.161.07|80|runs|NVIDIA A100-SXM4-80GB" 'rows of other machines'

# What is no row of every GPU of this machine, or cannot be written.
result='580.95.05: ran a kernel on 2 GPUs, but this result is not stored'
if unshare -m true 2>/dev/null; then
    # shellcheck disable=SC2016
    is "$(unshare -m sh -c 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && "$2" driver --store "$1" try 2>&1' sh "$home/drivers" "$cuarbiter")" \
        "cuarbiter: $result: $home/drivers: Read-only file system" 'a store that cannot be written'
else
    skip 'a store that cannot be written' 'no mount namespaces'
fi
rm -rf "$(find "$tmp/machine/proc/driver/nvidia/gpus" -mindepth 1 -maxdepth 1 | head -n 1)"
run driver try
is "$rc:$err" "1:cuarbiter: $result: CUDA found 2 GPUs, but this machine has 1" 'more GPUs than are known'
rm -rf "$tmp/machine/proc/driver/nvidia/gpus"
run driver try
is "$rc:$err" "1:cuarbiter: $result: it is not known which GPUs this machine has" 'GPUs that are not known'
rm -rf "$home/drivers"
run driver try
is "$rc:$err" "1:cuarbiter: $home/drivers: no driver has been added to this folder" 'nothing to try'
bring 580.95.05
run driver try 590.1
is "$rc:$err" "1:cuarbiter: 590.1: $home/drivers does not have it" 'one that is not there'
run driver try ../x
is "$rc:$err" "1:cuarbiter: ../x: $home/drivers does not have it" 'none of the store'
# shellcheck disable=SC2046
run driver try $(seq -f 590.%g 40) "590.$(printf '%0200d' 1)"
is "$rc:$(echo "$err" | grep -c " does not have it\$")" 1:41 'each of many that are not there'
for minor in $(seq 40); do mkdir "$home/drivers/590.$minor"; done
run driver try
is "$rc:$(echo "$err" | grep -c '^cuarbiter: 580.95.05: ran'):$(echo "$err" | grep -c '^cuarbiter: 590.*: incomplete: it has no manifest$')" 1:1:40 \
    'each of many in the store'
rmdir "$home/drivers/590."*
run driver remove 580.95.05
fails 'it was removed' 'one that was removed'
bring 580.95.05
mv "$home/drivers/580.95.05/libcuda.so.1" "$tmp/away"
fails 'its libcuda.so.1 cannot be tried: No such file or directory' 'one without its libcuda'
mv "$tmp/away" "$home/drivers/580.95.05/libcuda.so.1"
chmod o+w "$home/drivers/580.95.05"
fails "not used: its folder: users other than root, you and the store's owner could change it" 'one that others could have changed'
finish
