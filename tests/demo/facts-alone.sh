#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where the facts decide, one answerer is asked, NVML is not opened and no driver tried. Where they do
# not, the log at debug says what was asked. The tracer sees that a process is started, and no further.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

command -v strace >/dev/null && strace=yes || strace=''
may_lack strace
mkdir -m 700 "$tmp/home" "$tmp/run"
install_files "$tmp/home"
lib=/usr/lib/$(uname -m)-linux-gnu

traced() { # SETTING COMMAND...: traced where that can be done
    if [ -n "$strace" ]; then
        strace -f -o "$tmp/trace" -e trace=process,openat -E "$@"
    else
        env "$@"
    fi
}

# NAME VERSION[:FOLDER] REASON EXECS PROGRAM MACHINE...: on this machine the program, for which ld.so
# would take the driver of FOLDER, gets VERSION for this reason.
alone() {
    name=$1 version=$2 reason=$3 execs=$4 program=$5
    shift 5
    rm -rf "${tmp:?}/root" "$tmp/trace"
    make_root "$tmp/root" "$@" >/dev/null
    folder=$lib
    case $version in *:*) folder=${version#*:} version=${version%:*} ;; esac
    line=$(CUARBITER_SYSROOT=$tmp/root FAKE_ROOT=$tmp/root CUARBITER_LOG=debug CUDA_VERSION=12.4 \
        XDG_RUNTIME_DIR=$tmp/run LD_LIBRARY_PATH="$tmp/root$folder" \
        traced LD_PRELOAD="$tmp/home/libcuarbiter.so" "$programs/$program" 2>"$tmp/log")
    like "$(word maps "$line")" "*/libcuda.so.$version" "$name: $version"
    like "$(cat "$tmp/log")" "*: $reason: *" "$name: $reason"
    processes='lacks strace' executed=''
    if [ -e "$tmp/trace" ]; then
        processes=$(grep -cE '(clone|clone3|fork|vfork)\(' "$tmp/trace")
        executed=$(grep -c 'execve(.*= 0$' "$tmp/trace")
    fi
    tried=$(grep -cE ': (nvml|trial): ' "$tmp/log")
}

facts() {
    alone "$@"
    is "$processes processes, $executed executions, log $tried" \
        "2 processes, $execs executions, log 0" "$name: one answerer for the debug line, one for the choice"
}

compat=/usr/local/cuda/compat
for p in dlopen linked; do
    # A linked program asks, is executed again, and finds the answer mapped.
    again=$([ $p = linked ] && echo 2 || echo 1)
    facts "$p, a GeForce" "535.161.07:$compat" native "$again" init-$p --kmd 535.161.07 \
        --host-umd 535.161.07 --compat 550.54.15 --gpu 'NVIDIA GeForce RTX 4090'
    facts "$p, a data-centre GPU" "550.54.15:$compat" kept 1 init-$p --kmd 535.161.07 \
        --host-umd 535.161.07 --compat 550.54.15 --gpu 'NVIDIA A100-SXM4-80GB'
done
facts 'a driver with a note' "575.57.08:$compat" kept 1 init-dlopen --kmd 535.161.07 \
    --host-umd 535.161.07 --compat 575.57.08 --gpu 'Tesla T4'
facts 'an older driver' "580.95.05:$compat" native 1 init-dlopen --kmd 580.95.05 \
    --host-umd 580.95.05 --compat 550.54.15 --gpu 'NVIDIA H100 80GB HBM3'

# The test can fail: a GPU that no table knows, and one whose brand NVML does not know either.
for row in 1:550.54.15:kept-tried 0:535.161.07:native; do
    brand=${row%%:*} version=${row#*:}
    alone "an unknown GPU of brand $brand" "${version%:*}:$compat" "${row##*:}" 1 init-dlopen --kmd 535.161.07 \
        --host-umd 535.161.07 --compat 550.54.15 --gpu 'NVIDIA Unheard-of 1' --brand "$brand" --cc 9.0
    like "$tried" '[1-9]*' "an unknown GPU of brand $brand: a child is asked, and the log says so"
done
finish
