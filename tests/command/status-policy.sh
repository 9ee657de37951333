#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter status: which policy holds, and where it is from.

# shellcheck source=tests/command/status-lib.sh
. "$(dirname "$0")/status-lib.sh"

machines tesla
export CUARBITER_SYSROOT="$tmp/tesla"

CUARBITER_POLICY=host run status --json
is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'host environment' 'the policy and where it is from'
CUARBITER_POLICY=best run status --json
is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'off environment' 'a value that is none is off'
run status --policy compat --json
is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'compat --policy' 'the policy of the command line'
CUARBITER_POLICI=host run status --json
is "$(json '.policy.kind + " " + (.policy.unknown|map(select(test("POLICI")))|join(" "))')" \
    'auto CUARBITER_POLICI' 'a variable that is misspelt'
schema 'a variable that is misspelt'
CUARBITER_POLICI=host run status
like "$out" '*Policy          auto (default)
*                CUARBITER_POLICI is set, but is not a setting of cuarbiter*' 'in words'
env "CUARBITER_$(printf '\033[1m')=1" "$cuarbiter" status >"$tmp/out"
is "$(grep -c 'CUARBITER_??1m is set' "$tmp/out"):$(grep -c "$(printf '\033')" "$tmp/out")" 1:0 \
    'which cannot write to the terminal'
# A program of a later minor CUDA.
make_root "$tmp/minor" --kmd 570.148.08 --host-umd 570.148.08 --compat 575.57.08 --gpu 'NVIDIA H100 80GB HBM3' --cc 9.0 >/dev/null
minor() { # VALUE: reason, what would be tried, what yes would take
    CUARBITER_MINOR=$1 CUDA_VERSION=12.9.1 run status --json --sysroot "$tmp/minor"
    json '[.reason, .would_try, .minor]|map(if . then sub(".*/libcuda.so."; "") else "-" end)|join(" ")'
}
is "$(minor auto)" 'native 575.57.08 -' 'CUARBITER_MINOR=auto would try it'
export SLURM_JOB_NUM_NODES=2
is "$(minor auto)" 'native - 575.57.08' 'not in a job on several nodes, where it is named'
is "$(minor yes)" 'native 575.57.08 -' 'but with yes'
unset SLURM_JOB_NUM_NODES
export VLLM_ENABLE_CUDA_COMPATIBILITY=0
is "$(minor auto)" 'native - -' 'nor where somebody says no'
unset VLLM_ENABLE_CUDA_COMPATIBILITY
is "$(minor no)" 'native - -' 'no'
is "$(minor yes)" 'native 575.57.08 -' 'yes would try it'
CUDA_VERSION=12.9.1 run status --json --sysroot "$tmp/minor"
schema 'a later minor CUDA'
CUARBITER_MINOR=maybe run status --sysroot "$tmp/minor"
like "$err" '*warn: bad-value: CUARBITER_MINOR=maybe is not one of auto, no, yes: auto is used*' 'another word'
CUDA_VERSION=12.9.1 run status --sysroot "$tmp/minor"
like "$(echo "$out" | tr -s ' \n' ' ')" "Now cuInit 0 (570.148.08, the host's) With cuarbiter the same cuarbiter would try 575.57.08 first *Error 222 is possible: the host's driver has CUDA 12.8, and the image declares CUDA 12.9. 575.57.08 is used instead, if its cuInit works.*" 'in words'
CUDA_VERSION=12.9.1 run status --sysroot "$tmp/minor" --policy report
like "$(echo "$out" | tr -s ' \n' ' ')" "Now cuInit 0 (570.148.08, the host's) With cuarbiter the same not in this image*declares CUDA 12.9. With the policy auto, 575.57.08 is used instead, if its cuInit works.*" 'not by the policy report'
SLURM_JOB_NUM_NODES=2 CUDA_VERSION=12.9.1 run status --sysroot "$tmp/minor"
like "$(echo "$out" | tr -s ' \n' ' ')" "*575.57.08 would be used with CUARBITER_MINOR=yes, if its cuInit works; it is not used without that setting, because SLURM_JOB_NUM_NODES=2.*" 'and why not'
run status --json --sysroot "$tmp/minor" --env CUDA_VERSION=12.9.1 --env CUARBITER_MINOR=yes
is "$(json .would_try | sed 's/.*libcuda.so.//')" 575.57.08 'by --env'
mkdir "$tmp/three" && cp "$shim" "$answerer" "$cuarbiter" "$tmp/three"
touch "$tmp/three/nvidia-compat-hook-is-off"
three() { # VALUE: what yes would take, what would be tried
    out=$(CUARBITER_MINOR=$1 CUDA_VERSION=12.9.1 "$tmp/three/cuarbiter" status --json --sysroot "$tmp/minor")
    json '[.minor, .would_try]|map(if . then sub(".*/libcuda.so."; "") else "-" end)|join(" ")'
}
is "$(three auto)" '- -' "NVIDIA's hook is off on the node: a no"
is "$(three yes)" '- 575.57.08' 'which yes outweighs'
rm "$tmp/three/nvidia-compat-hook-is-off"
is "$(three auto)" '- 575.57.08' 'without that file'
out=$(CUARBITER_SYSROOT=$tmp/minor FAKE_ROOT=$tmp/minor CUDA_VERSION=12.9.1 CUARBITER_LOG=info \
    LD_LIBRARY_PATH=$tmp/minor$lib LD_PRELOAD=$tmp/three/libcuarbiter.so "$programs/init-dlopen" 2>&1)
like "$out" '*With CUARBITER_MINOR=yes cuarbiter would take 575.57.08, if its cuInit works in a child process.*' 'the log at info names it'

site='CUARBITER_POLICY=host'
if has_own_etc; then
    CUDA_VERSION=12.9.1 run_with_site 'minor=yes' status --json --sysroot "$tmp/minor"
    is "$(json .would_try | sed 's/.*libcuda.so.//')" 575.57.08 'minor= in the site file'
    CUDA_VERSION=12.9.1 CUARBITER_MINOR=yes run_with_site 'minor=no\nlock=CUARBITER_MINOR' status --json --sysroot "$tmp/minor"
    is "$(json '[.would_try, .minor]|@csv')" ',' 'and locked'
    CUARBITER_POLICY=compat run_with_site "$site\nlock=CUARBITER_POLICY" status --sysroot "$tmp/tesla" --json
    is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'host site' 'the policy of the site'
    run_with_site "$site" status
    like "$out" '*Policy          host (/etc/cuarbiter.conf)*' 'in words'
    CUARBITER_POLICY=off run_with_site "$site\nlock=CUARBITER_POLICY" status
    like "$(echo "$out" | tr -s ' \n' ' ')" '*host (/etc/cuarbiter.conf) CUARBITER_POLICY in the environment is ignored: /etc/cuarbiter.conf locks it. *' 'a setting that the lock overrides is named'
    CUARBITER_POLICY=compat run_with_site 'disabled' status
    like "$(echo "$out" | tr -s ' \n' ' ')" '*Policy off: disabled by /etc/cuarbiter.conf CUARBITER_POLICY in the environment is ignored. *' 'a file that disables it'
    run_with_site 'POLICY=host' status
    like "$out" '*Policy          off: disabled by /etc/cuarbiter.conf*' 'and one that is refused'
    like "$err" '*warn: site-file: /etc/cuarbiter.conf: line 1 is not understood (a line is CUARBITER_NAME=VALUE, *; cuarbiter(7) lists the names): cuarbiter is off*' \
        "a line of the site's file that says nothing, and what would"
    run_with_site '\nstore=drivers' status
    like "$err" '*: line 2 is not understood (a line is *, store=/FOLDER or disabled; *' 'a store without a path from /'
    CUARBITER_POLICY=compat run_with_site "$site\nlock=CUARBITER_POLICY\n\0\0\0" status --json
    is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'off site' 'NULs at the end, as a crash leaves them: off'
    like "$err" '*warn: site-file: /etc/cuarbiter.conf: not read: not a regular file, or it contains NUL bytes: *' 'and that is logged'
    CUARBITER_POLICY=compat run_with_site "\0\0$site\nlock=CUARBITER_POLICY" status --json
    is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'off site' 'and NULs before the lock'
else
    ok 'the policy of the site # SKIP no mount namespaces here'
fi
mkdir -p "$tmp/tesla/etc"
echo "$site" >"$tmp/tesla/etc/cuarbiter.conf"
run status --json
is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'auto default' 'never that of a root that facts are from'
run status --sysroot "$tmp/tesla" --json
is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'auto default' 'nor that of an image'
rm "$tmp/tesla/etc/cuarbiter.conf"
CUARBITER_LIBCUDA=$tmp/tesla$lib/libcuda.so.1 run status --json
is "$(json '.reason')" policy-file 'CUARBITER_LIBCUDA'

finish_status
