#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter status for people and as metrics.

# shellcheck source=tests/command/status-lib.sh
. "$(dirname "$0")/status-lib.sh"

machines tesla older bare

# The tests' own variables are not what is looked at here.
run_plain() {
    unset_ours=$(env | sed -n 's/^\(CUARBITER_[A-Z_]*\)=.*/-u \1/p' | grep -v SYSROOT)
    # shellcheck disable=SC2086
    out=$(env $unset_ours "$cuarbiter" "$@")
}
CUARBITER_SYSROOT=$tmp/tesla run_plain status
like "$out" 'Now             cuInit 0 (535.161.07, the host?s)
With cuarbiter  the same
                not active here
Why *
*(native)
*A CUDA 13 program would get 535.161.07 and fail (error 35).
*CUARBITER_POLICY=newest would try 550.54.15, CUDA 12.4.
Facts used      kernel-driver, loader, program; nothing else was needed

Kernel driver   535.161.07, from *
GPUs            NVIDIA A100-SXM4-80GB (nvidia, 8.0)*
Drivers           VERSION *
 *\* 535.161.07 *native *
 *550.54.15 *newer-certain *
Policy          auto (default)
Data            20*' 'the text'
run status --sysroot "$tmp/tesla" --gpu 'Tesla T4' --gpu 'Tesla T4' --gpu 'NVIDIA L4'
like "$out" '*
GPUs            2 x Tesla T4 (tesla, 7.5)
                NVIDIA L4 (nvidia, 8.9)
*' 'GPUs that are alike are one line'
make_root "$tmp/later" --kmd 615.71.09 --host-umd 615.71.09 --compat 620.11.01 --gpu 'NVIDIA L4' >/dev/null
run status --sysroot "$tmp/later"
like "$out" '*
                620.11.01 belongs to a branch newer than these data: *' 'a bundled driver above the tables'
is "$(env "$cuarbiter" status --json --sysroot "$tmp/later" --kmd 999.1.2 | jq -r .data.above)" 999.1.2 'a kernel driver above them'
is "$(env "$cuarbiter" status --json --sysroot "$tmp/tesla" | jq -r .data.above)" null 'none'
run status --sysroot "$tmp/tesla" --gpu 'Tesla T4' --gpu 'Tesla T4' --gpu 'NVIDIA L4'
case $out in *"$(printf '\033')"*) not_ok 'no colour in a pipe' ;; *) ok 'no colour in a pipe' ;; esac
colour() { # on a terminal
    CUARBITER_SYSROOT=$tmp/tesla python3 - "$cuarbiter" status <<'EOF'
import os, pty, sys
out = []
def read(fd):
    data = os.read(fd, 65536)
    out.append(data)
    return b''
pty.spawn(sys.argv[1:], read, lambda fd: b'')
print('colour' if b'\x1b[' in b''.join(out) else 'plain')
EOF
}
if python3 -c 'import pty; pty.openpty()' 2>/dev/null; then
    is "$(TERM=xterm colour </dev/null)" colour 'colour on a terminal'
    is "$(TERM=xterm NO_COLOR=1 colour </dev/null)" plain 'not with NO_COLOR'
    is "$(TERM=dumb colour </dev/null)" plain 'not on a dumb one'
else
    ok 'colour on a terminal # SKIP no terminals can be made here'
fi

# Metrics: every line a comment or a sample, every name announced once.
CUARBITER_SYSROOT=$tmp/tesla run status --prom
is "$rc:$err" 0: 'metrics'
is "$(printf '%s\n' "$out" | grep -Ev \
    '^(# (HELP|TYPE) cuarbiter_[a-z_]+ .+|cuarbiter_[a-z_]+([{]([a-z]+="([^"\\]|\\.)*",?)+[}])? (NaN|-?[0-9]+))$')" \
    '' 'the format'
is "$(printf '%s\n' "$out" | sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p' | sort | uniq -d)" '' 'each name once'
like "$out" '*
cuarbiter_works 1
*cuarbiter_verdict_info{reason="native",kind="native",version="535.161.07",path="*"} 1*' 'the verdict'
run status --prom --sysroot "$tmp/older"
like "$rc:$out" '1:*
cuarbiter_works 0
*' 'a node where nothing works'
run status --prom --sysroot "$tmp/bare"
like "$rc:$out" '4:*
cuarbiter_works NaN
*' 'a node without a driver'

finish
