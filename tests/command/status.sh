#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter status: text, JSON by its schema, metrics, exit codes, what-if, other processes.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
need_tool jq python3

mkdir "$tmp/schema"
schema() { # NAME: $out is to be what docs/status.schema.json describes
    printf '%s' "$out" >"$tmp/schema/$1"
}

# All of them at the end: python takes longer than everything else.
check_schema() {
    python3 - "$tree/docs/status.schema.json" "$tmp"/schema/* 2>&1 <<'EOF'
import json, sys
import jsonschema
with open(sys.argv[1]) as f:
    schema = json.load(f)
jsonschema.Draft7Validator.check_schema(schema)
for name in sys.argv[2:]:
    with open(name) as f:
        status = json.load(f)
    for error in jsonschema.Draft7Validator(schema).iter_errors(status):
        print(name, '/'.join(map(str, error.path)), error.message)
EOF
}

# NAME RC WORKS REASON KIND ARGUMENT...: of a machine that is a root folder
verdict() {
    name=$1 want="$2 $3 $4 $5"
    shift 5
    run status --json "$@"
    is "$rc $(json '[.works, .reason, .chosen.kind // "none"]|join(" ")')" "$want" "$name"
    schema "$name"
    run status "$@"
    is "$rc:$(printf '%s' "$err" | grep -v 'no GPU of this name')" "${want%% *}:" "$name: as text, the same exit code and nothing on stderr"
}

machine() { # NAME ARGUMENT...
    name=$1
    shift
    make_root "$tmp/$name" "$@" >/dev/null
}
lib=/usr/lib/$(uname -m)-linux-gnu
compat=/usr/local/cuda/compat

machine geforce --kmd 535.161.07 --host-umd 535.161.07 --compat 550.54.15 \
    --gpu 'NVIDIA GeForce RTX 4090' --cc 8.9
machine tesla --kmd 535.161.07 --host-umd 535.161.07 --compat 550.54.15 \
    --gpu 'NVIDIA A100-SXM4-80GB' --cc 8.0
machine note --kmd 575.57.08 --host-umd 575.57.08 --compat 590.44.01 \
    --gpu 'NVIDIA H100 80GB HBM3' --cc 9.0
machine older --kmd 580.95.05 --compat 575.57.08 --gpu 'NVIDIA H100 80GB HBM3' --cc 9.0
machine empty --kmd 580.95.05 --gpu 'NVIDIA H100 80GB HBM3' --cc 9.0
machine stub --kmd 535.161.07 --host-umd 535.161.07 --stub /usr/local/cuda/lib64/stubs
machine wsl --wsl --host-umd 555.42.02:/usr/lib/wsl/lib
mkdir "$tmp/bare"

# What if.
verdict 'a GeForce' 0 yes native native --sysroot "$tmp/geforce"
verdict 'what the loader takes, on a data-centre GPU' 0 yes native native --sysroot "$tmp/tesla"
export LD_LIBRARY_PATH="$compat"
verdict 'the bundled one, on a data-centre GPU' 0 yes kept compat --sysroot "$tmp/tesla"
verdict 'a driver with a note' 0 yes kept compat --sysroot "$tmp/note"
verdict 'the bundled one, on a GeForce' 0 yes native native --sysroot "$tmp/geforce"
verdict 'another GPU' 0 yes kept compat --sysroot "$tmp/geforce" --gpu 'NVIDIA A100-SXM4-80GB'
verdict 'a GPU too old' 0 yes native native --sysroot "$tmp/note" --gpu 'Tesla V100-SXM2-16GB' --cc 7.0
verdict 'a GPU hidden' 0 yes kept compat --sysroot "$tmp/tesla" \
    --gpu 'NVIDIA A100-SXM4-80GB' --gpu 'NVIDIA A100-SXM4-80GB' --visible 0
verdict 'a GPU that nobody knows' 3 unknown undecided compat --sysroot "$tmp/tesla" --gpu 'Unheard Of'
run status --json --sysroot "$tmp/tesla" --gpu 'Unheard Of'
is "$err" 'cuarbiter: Unheard Of: no GPU of this name is known' 'and says so'
# GPUs as people write them.
gpu() { # GIVEN WANTED
    run status --json --kmd 535.161.07 --gpu "$1"
    is "$(json '.gpus[0]|[.model, .brand, .compute_capability]|join(" ")'):$err" "$2:" "--gpu '$1'"
}
gpu T4 'Tesla T4 tesla 7.5'
gpu a100 'A100 nvidia 8.0'
gpu 'RTX 4090' 'GeForce RTX 4090 geforce 8.9'
gpu rtx4090 'GeForce RTX 4090 geforce 8.9'
gpu v100 'Tesla V100 tesla 7.0'
gpu 'nvidia rtx a6000' 'RTX A6000 nvidia-rtx 8.6'
gpu 'NVIDIA H100 80GB HBM3' 'NVIDIA H100 80GB HBM3 nvidia 9.0'
run status --json --kmd 535.161.07 --gpu 'RTX 450'
like "$err" 'cuarbiter: RTX 450: no GPU of this name is known; near it: *RTX 4500 Ada*' 'one that is near'
unset LD_LIBRARY_PATH
verdict 'an older driver alone' 1 no no-native none --sysroot "$tmp/older"
verdict 'no driver in the image' 1 no no-umd none --sysroot "$tmp/empty"
verdict 'no kernel driver' 4 no no-driver none --sysroot "$tmp/bare"
run status --sysroot "$tmp/bare"
like "$out" '*What to do *Say which kernel driver that machine has: --kmd VERSION.*' 'a what-if without --kmd: what is missing'
verdict 'a link stub beside it' 0 yes native native --sysroot "$tmp/stub"
LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs run status --json --sysroot "$tmp/stub"
is "$(json '.candidates|map(select(.path|endswith("stubs/libcuda.so")).reason)|join(";")')" link-stub \
    'and listed as one'
verdict 'WSL' 0 yes native native --sysroot "$tmp/wsl"
verdict 'off' 3 unknown policy-off none --sysroot "$tmp/tesla" --policy off
verdict 'policy host' 0 yes policy-host native --sysroot "$tmp/tesla" --policy host
verdict 'policy compat, against the rules' 1 no policy-compat compat --sysroot "$tmp/geforce" --policy compat
verdict 'another kernel driver' 1 no no-native none --sysroot "$tmp/geforce" --kmd 999.1 --unmounted
verdict 'a program that does not need it' 0 yes native native --sysroot "$tmp/tesla" --toolkit 12.2
verdict 'a program too new' 1 no runtime-too-new native --sysroot "$tmp/geforce" --toolkit 13.0
verdict 'a program of a later minor version' 0 yes native native --sysroot "$tmp/geforce" --toolkit 12.4
like "$(echo "$out" | tr -s ' \n' ' ')" "* What to do If it ends in error 222, its PTX is newer than this driver's CUDA 12.2: *" \
    'what it can still end in'
make_root "$tmp/image" --compat 550.54.15 >/dev/null
verdict 'an unpacked image alone' 1 no no-native none --sysroot "$tmp/image" --kmd 535.161.07 --unmounted --gpu 'NVIDIA GeForce RTX 4090'
verdict 'with the host driver mounted' 0 yes native native --sysroot "$tmp/image" --kmd 535.161.07 --gpu 'NVIDIA GeForce RTX 4090'
verdict 'mounted, on a data-centre GPU' 0 yes native native --sysroot "$tmp/image" --kmd 535.161.07 --gpu 'Tesla T4'
verdict 'mounted, and there already' 0 yes native native --sysroot "$tmp/geforce" --kmd 535.161.07
verdict 'mounted, where nothing is bundled' 0 yes native native --sysroot "$tmp/bare" --kmd 535.161.07 --gpu 'Tesla T4'

# As it is here: facts through CUARBITER_SYSROOT, a trial where one is needed.
export CUARBITER_SYSROOT="$tmp/tesla"
verdict 'this machine' 0 yes native native
run status --json
is "$(json '[.chosen.path, .without.path, .without.code]|@csv')" \
    "\"$lib/libcuda.so.535.161.07\",\"$lib/libcuda.so.535.161.07\",0" 'chosen and without'
is "$(json '.rests_on|join(" ")'):$(json '.candidates|length'):$(json '.gpus|length')" \
    'kernel-driver loader program:2:1' 'what it rests on; the rest is listed anyway'
is "$(json '.majors|map([.cuda, .works, .reason]|join(" "))|join(";")')" '13 no runtime-too-new' \
    'a program of another CUDA major'
machine untold --kmd 535.161.07 --host-umd 535.161.07 --compat 610.43.02,nonote \
    --gpu 'NVIDIA A100-SXM4-80GB' --cc 8.0
CUARBITER_SYSROOT=$tmp/untold FAKE_ROOT=$tmp/untold LD_LIBRARY_PATH=$compat CUARBITER_TRIAL=always run status --json
is "$(json '.reason'):$(json '.majors|map([.cuda, .works, .reason]|join(" "))|join(";")')" \
    'native:13 no trial-failed' 'what was tried counts for every major'
run status --toolkit 12.4 --json
is "$(json '.majors|length')" 0 'a program that is known'
is "$(json '[.toolkit.cuda, .toolkit.kind, .toolkit.source]|join(" ")')" '12.4 exact --toolkit' \
    'its CUDA, and how well it is known'
CUDA_VERSION=12.2.2 run status --json
is "$(json '[.toolkit.cuda, .toolkit.kind, .toolkit.source]|join(" ")')" '12.2 hint CUDA_VERSION' \
    'the image that speaks of one'
schema 'a hint'
LD_LIBRARY_PATH=$compat run status --json
is "$(json '.without.path')" "$compat/libcuda.so.550.54.15" 'LD_LIBRARY_PATH decides what the loader takes'
CUARBITER_SYSROOT=$tmp/geforce LD_LIBRARY_PATH=$compat run status --json
is "$(json '.without.code')" 804 'what it would answer'
CUARBITER_SYSROOT=$tmp/geforce LD_LIBRARY_PATH=$compat run status
like "$out" "Now             804 (550.54.15, bundled)
With cuarbiter  cuInit 0 (535.161.07, the host's)
                not active here, to use it: cuarbiter run -- COMMAND
Why *" 'what happens now, and what cuarbiter changes: the first lines'
CUARBITER_POLICY=host run status --json
is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'host environment' 'the policy and where it is from'
CUARBITER_POLICY=best run status --json
is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'auto default' 'a value that is none is not where it is from'
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
site='CUARBITER_POLICY=host'
if has_own_etc; then
    CUARBITER_POLICY=compat run_with_site "$site\nlock=CUARBITER_POLICY" status --sysroot "$tmp/tesla" --json
    is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'host site' 'the policy of the site'
    run_with_site "$site" status
    like "$out" '*Policy          host (/etc/cuarbiter.conf)*' 'in words'
    run_with_site 'POLICY=host' status
    like "$err" '*warn: site-file: /etc/cuarbiter.conf: line 1 is not understood: CUARBITER_NAME=VALUE, *' \
        "a line of the site's file that says nothing, and what would"
    CUARBITER_POLICY=compat run_with_site "$site\nlock=CUARBITER_POLICY\n\0\0\0" status --json
    is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'host site' 'NULs at the end, as a crash leaves them: it is still locked'
    like "$err" '*warn: site-file: /etc/cuarbiter.conf: it holds NUL bytes: *' 'and that is logged'
    CUARBITER_POLICY=compat run_with_site "\0\0$site\nlock=CUARBITER_POLICY" status --json
    is "$(json '[.policy.kind, .policy.from]|join(" ")')" 'host site' 'and NULs before the lock'
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

# For people. The tests' own variables are not what is looked at here.
run_plain() {
    unset_ours=$(env | sed -n 's/^\(CUARBITER_[A-Z_]*\)=.*/-u \1/p' | grep -v SYSROOT)
    # shellcheck disable=SC2086
    out=$(env $unset_ours "$cuarbiter" "$@")
}
run_plain status
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
case $out in *"$(printf '\033')"*) not_ok 'no colour in a pipe' ;; *) ok 'no colour in a pipe' ;; esac
colour() { # on a terminal
    python3 - "$cuarbiter" status <<'EOF'
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
run status --prom
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
unset CUARBITER_SYSROOT
run status --prom --sysroot "$tmp/bare"
like "$rc:$out" '4:*
cuarbiter_works NaN
*' 'a node without a driver'

# The shim.
run status --json
is "$(json '.shim|tojson')" '{"active":false,"path":null,"version":null,"through":[],"trouble":null}' 'no shim here'
LD_PRELOAD=$files/libcuarbiter.so run status --json
version=$("$cuarbiter" --version | sed -n 's/^cuarbiter //p')
is "$(json '[.shim.active, .shim.path, .shim.version, .shim.through[0], .shim.trouble]|@csv')" \
    "true,\"$files/libcuarbiter.so\",\"$version\",\"LD_PRELOAD\"," 'under the shim, with its version'
LD_PRELOAD=$files/libcuarbiter.so run status
like "$out" "*Shim            active through LD_PRELOAD: $files/libcuarbiter.so*" 'in words'
mkdir "$tmp/alone"
cp "$files/libcuarbiter.so" "$tmp/alone/"
trouble() { # WHAT ENDING
    LD_PRELOAD=$tmp/alone/libcuarbiter.so run status --json
    is "$(json .shim.trouble)" "$2" "$1: as JSON"
    schema "$1"
    LD_PRELOAD=$tmp/alone/libcuarbiter.so run status
    like "$(echo "$out" | tr -s ' \n' ' ')" "* ($version) $2 Policy *" "$1"
}
engine=$tmp/alone/libcuarbiter-engine.so
trouble 'a shim without an engine' "It does nothing: $engine: No such file or directory"
: >"$engine"
trouble 'an empty engine' "It does nothing: $engine is not an engine"
sed "s/cuarbiter engine $version/cuarbiter engine 9.9.9/" "$files/libcuarbiter-engine.so" >"$engine"
trouble 'an engine of another build' "$engine is 9.9.9: take all three files from one build"
mkdir -p "$tmp/older/etc"
echo /opt/cuarbiter/libcuarbiter.so >"$tmp/older/etc/ld.so.preload"
run status --sysroot "$tmp/older" --json
is "$(json '[.shim.active, .shim.through[0]]|@csv')" ',"/etc/ld.so.preload"' 'in an image'
schema 'a shim in an image'

# Another process.
LD_PRELOAD=$files/libcuarbiter.so CUARBITER_SYSROOT=$tmp/tesla CUARBITER_POLICY=host sleep 60 &
other=$!
sleep 0.2
run status --pid $other --json
is "$rc:$(json '[.process.pid, .process.name, .shim.active, .shim.through[0], .policy.kind]|@csv')" \
    "4:$other,\"sleep\",true,\"LD_PRELOAD\",\"auto\"" 'another process: its preload, not its policy or sysroot'
is "$(json .shim.version)" "$version" 'and the version of its shim'
schema 'another process'
run status --pid $other
like "$out" "Now *
Process         $other sleep (*/sleep)
                No libcuda is mapped so far.*" 'in words'
kill $other
wait $other 2>/dev/null
LD_LIBRARY_PATH=/nowhere "$(echo /lib*/ld-linux-"$(uname -m | tr _ -)".so.?)" \
    --library-path "$tmp/tesla$lib" /bin/sleep 60 &
other=$!
sleep 0.2
run status --pid $other --json
is "$(json "any(.candidates[]; .path|startswith(\"$tmp/tesla\"))")" true 'another process: what its ld.so was given'
kill $other
wait $other 2>/dev/null
cp "$fixtures/fake/companion.so" "$tmp/libcudart.so.12"
python3 -c "
import ctypes, sys, time
ctypes.CDLL('$tmp/libcudart.so.12')
ctypes.CDLL('$tmp/tesla$lib/libcuda.so.1')
print(flush=True)
time.sleep(60)" >"$tmp/loaded" &
other=$!
while [ ! -s "$tmp/loaded" ]; do sleep 0.1; done
run status --pid $other --json
is "$(json '.process.mapped|map(.kind + " " + .path)|join(";")')" \
    "libcuda $tmp/tesla$lib/libcuda.so.535.161.07" 'what it has mapped'
is "$(json '[.toolkit.cuda, .toolkit.kind, .toolkit.source]|join(" ")')" '12.0 least libcudart.so.12' \
    'and what that shows of its CUDA'
schema 'a runtime that is mapped'
rm "$tmp/tesla$lib/libcuda.so.535.161.07"
run status --pid $other --json
is "$(json '.process.mapped[0].gone')" true 'a file that was replaced since'
kill $other
wait $other 2>/dev/null
run status --pid $other
is "$rc:$err" "3:cuarbiter: process $other: No such process" 'a process that is gone'

# In a root of its own. What its environment puts before facts is its own business.
elsewhere() { # The version of its kernel driver.
    : >"$tmp/loaded"
    CUARBITER_SYSROOT=/machine python3 -c "
import os, time
os.chroot('$tmp/own')
print(flush=True)
time.sleep(60)" >"$tmp/loaded" &
    other=$!
    while [ ! -s "$tmp/loaded" ]; do sleep 0.1; done
    run status --pid $other --json
    json .kmd.version
    kill $other
    wait $other 2>/dev/null
}
if [ "$(id -u)" = 0 ]; then
    mkdir -p "$tmp/own"
    cp -r "$tmp/geforce" "$tmp/own/machine"
    is "$(elsewhere)" null 'another process, whose environment has a sysroot'
else
    ok 'a process in a root of its own # SKIP not root'
fi

name="every one of these $(find "$tmp/schema" -type f | wc -l) is what the schema describes"
if python3 -c 'import jsonschema' 2>/dev/null; then
    is "$(check_schema)" '' "$name"
else
    missing "$name" 'no python3-jsonschema here'
fi

finish
