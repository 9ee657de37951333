#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which archive a machine needs: cuarbiter driver add --auto and --for-gpu, explain 35, status. Each row's
# answer is by NVIDIA's own lists, as data/forward.tsv, brands.tsv and min-cc.tsv have them.

# shellcheck source=tests/command/driver-lib.sh
. "$(dirname "$0")/driver-lib.sh"
mkdir "$tmp/empty"

found() { # WORDS VERSION CUDA: of --for-gpu ...
    # shellcheck disable=SC2086
    run driver --store "$store" add --dry-run $1
    is "$rc:$err:$(echo "$out" | sed -n 2p)" "0::driver   $2, CUDA $3" "$1: $2"
}
none() { # WORDS PATTERN
    # shellcheck disable=SC2086
    run driver --store "$store" add --dry-run $1
    like "$rc:$out:$err" "1::cuarbiter: driver: $2" "$1: none"
}
# The lowest CUDA that is not earlier, its newest build.
found '--for-gpu A100 --kmd 535.161.07 --cuda 13.0' 580.95.05 13.0
found '--for-gpu A100 --kmd 535.161.07 --cuda 13.1' 590.48.01 13.1
found '--for-gpu H100 --kmd 550.54.15 --cuda 13.0' 580.95.05 13.0
found '--for-gpu T4 --kmd 535.161.07 --cuda 13.1' 590.48.01 13.1
found '--for-gpu A100 --kmd 470.57.02 --cuda 12.2' 535.104.05 12.2
# 580 is the last for Volta: also for a program of a later minor.
found '--for-gpu V100 --kmd 535.161.07 --cuda 13.0' 580.95.05 13.0
found '--for-gpu V100 --kmd 535.161.07 --cuda 13.1' 580.95.05 13.0
found '--for-gpu A100 --for-gpu V100 --kmd 535.161.07 --cuda 13.1' 580.95.05 13.0
run driver --store "$store" add --dry-run --for-gpu A100 --for-gpu V100 --kmd 535.161.07 --cuda 13.1
is "$(echo "$out" | sed -n 1p)" '580.95.05 runs on kernel driver 535.161.07 and A100 and the other GPUs' 'in words'
# What has no forward compatibility, no such capability, is not listed, or needs none.
none '--for-gpu RTX4090 --kmd 535.161.07 --cuda 13.0' \
    'none of the drivers that cuarbiter can fetch is certain to work; the best for CUDA 13.0 is 580.95.05: 580.95.05 is newer than kernel driver 535.161.07, and * does not support forward compatibility (newer-brand)'
none '--for-gpu A100 --for-gpu RTX4090 --kmd 535.161.07 --cuda 13.0' '*(newer-brand)'
none '--for-gpu P100 --kmd 535.161.07 --cuda 14.0' 'cuarbiter can fetch no driver for CUDA 14.0'
none '--for-gpu K80 --kmd 450.51.05 --cuda 12.0' '*supports compute capability 5.0 and later; Tesla K80 has 3.7 (newer-cc)'
none '--for-gpu A100 --kmd 580.65.06 --cuda 13.1' \
    'no driver has to be added: kernel driver 580.65.06 comes with CUDA 13.0, which can start programs of CUDA 13.1'
none '--for-gpu A100 --kmd 535.161.07 --cuda 12.8' 'no driver has to be added: *'
none '--for-gpu V100 --kmd 410.48 --cuda 10.0' '*comes with CUDA 10.0, which can start programs of CUDA 10.0'
none '--for-gpu V100 --kmd 410.48 --cuda 10.2' 'cuarbiter can fetch no driver for CUDA 10.2' # before 11 no later minor starts
none '--for-gpu A100 --kmd 560.35.05 --cuda 13.0' '*(newer-*branch)'

# This machine, and the CUDA of the image around.
make_root "$tmp/machine" --kmd 535.161.07 --host-umd 535.161.07 --gpu 'NVIDIA A100-SXM4-80GB' >/dev/null
export CUARBITER_SYSROOT="$tmp/machine"
found '--auto --cuda 13.0' 580.95.05 13.0
export CUDA_VERSION=13.1.0
found '--auto' 590.48.01 13.1
unset CUDA_VERSION
mkdir -p "$tmp/machine/proc/driver/nvidia/capabilities/gpu0/mig/gi1"
part='a GPU here is divided by MIG, and on a part cuarbiter uses an added driver only if CUARBITER_LIBCUDA names it; for whole GPUs use --for-gpu MODEL --kmd VERSION --cuda X.Y'
none '--auto --cuda 13.0' "$part"
run status --toolkit 13.0
like "$(echo "$out" | tr -s '\n ' ' ')" "*'cuarbiter driver add' cannot help: $part.*" 'status: nor on a part of a GPU'
found '--for-gpu A100 --kmd 535.161.07 --cuda 13.0' 580.95.05 13.0
rm -r "$tmp/machine/proc/driver/nvidia/capabilities"
none '--auto' 'it is not known which CUDA the program needs; pass it with --cuda X.Y'
mv "$tmp/machine/proc/driver/nvidia/gpus" "$tmp/gpus" # without it, PCI shows a GPU's ID, and no name
card=$tmp/machine/sys/bus/pci/devices/0000:01:00.0
mkdir -p "$card"
echo 0x10de >"$card/vendor" && echo 0x030200 >"$card/class" && echo 0x20b0 >"$card/device"
run driver --store "$store" add --dry-run --auto --cuda 13.0
is "$(echo "$out" | sed -n 1p)" '580.95.05 runs on kernel driver 535.161.07 and the GPUs here' 'a GPU without a name'
rm -r "$tmp/machine/sys/bus" && mv "$tmp/gpus" "$tmp/machine/proc/driver/nvidia/gpus"
run explain 35
like "$rc:$(echo "$out" | tr -s '\n ' ' ')" '0:*On this machine: Add a driver: cuarbiter driver add 580.95.05; 580.95.05 runs on kernel driver 535.161.07 and NVIDIA A100-SXM4-80GB. ' 'explain 35 names it'
CUDA_VERSION=13.1.0 run explain 35
like "$out" '*cuarbiter driver add 590.48.01; *' 'for the CUDA of the image'
run status --toolkit 13.0
like "$out" '*runtime-too-new*What to do *Or add a driver: cuarbiter driver add 580.95.05; 580.95.05*on*kernel driver 535.161.07 and NVIDIA A100-SXM4-80GB.
*' 'so does status'
run status --toolkit 13.1 --json
is "$(json '[.reason, .bring.version, .bring.why] | join(" ")')" \
    'runtime-too-new 590.48.01 590.48.01 runs on kernel driver 535.161.07 and NVIDIA A100-SXM4-80GB' 'as JSON'
CUARBITER_DRIVERS=no run status --toolkit 13.1 --json
is "$(json '.bring | [.version, .why] | tojson')" '[null,"the settings switch added drivers off: CUARBITER_DRIVERS, or drivers= in /etc/cuarbiter.conf"]' 'not where settings forbid it'
CUARBITER_TRIAL=never run status --toolkit 13.1 --json
is "$(json '.bring | [.version, .why] | tojson')" '[null,"an added driver is used only after a trial, and CUARBITER_TRIAL=never forbids trials"]' 'nor without trials'
run status --toolkit 12.8 --json
is "$(json .bring)" null 'nothing where no 35 is'
run status --kmd 535.161.07 --gpu RTX4090 --toolkit 13.0 --json
like "$(json '.bring | [.version, .why] | tojson')" '[[]null,"none of the drivers that cuarbiter can fetch is certain to work; *(newer-brand)"]' 'or what is against it'

# code, of files whose runtime answers 35.
echo 'int needed(void) { return 0; }' >"$tmp/needed.c"
for major in 12 13; do
    mkdir "$tmp/code$major"
    ${CC:-cc} -shared -fPIC -Wl,-soname,libcudart.so.$major -o "$tmp/libcudart.so.$major" "$tmp/needed.c"
    echo 'int needed(void); int runs(void) { return needed(); }' >"$tmp/runs.c"
    ${CC:-cc} -shared -fPIC -o "$tmp/code$major/libruns.so" "$tmp/runs.c" "$tmp/libcudart.so.$major"
done
run code "$tmp/code13/libruns.so"
like "$rc:$out" '1:*What would help: *
Or add a driver: cuarbiter driver add 580.95.05; 580.95.05 runs on kernel driver 535.161.07 and NVIDIA A100-SXM4-80GB' 'code names it'
run code --json "$tmp/code13/libruns.so"
is "$(json '.bring | [.version, .brought, .why] | tojson')" \
    '["580.95.05",null,"580.95.05 runs on kernel driver 535.161.07 and NVIDIA A100-SXM4-80GB"]' 'code, as JSON'
run code "$tmp/code12/libruns.so"
is "$(echo "$out" | grep -c 'driver add')" 0 'code: not where no 35 is'
run code --kmd 535.161.07 --gpu RTX4090 "$tmp/code13/libruns.so"
like "$out" '*No driver to add: none of the drivers that cuarbiter can fetch is certain to work; *(newer-brand)' 'code: what is against it'
make_root "$tmp/unknown" --kmd 535.161.07 --host-umd 535.161.07 --gpu 'NVIDIA A100-SXM4-80GB' >/dev/null
rm -r "$tmp/unknown/proc/driver" "$tmp/unknown"/sys/module/nvidia* 2>/dev/null
CUARBITER_SYSROOT=$tmp/unknown run code --gpu A100 "$tmp/code13/libruns.so"
like "$out" '*No driver to add: the kernel driver is not known; pass its version with --kmd' 'code: its own option'
for machine in '--cuda 12.2' '--cc 8.0' '--gpu A100 --gpu V100'; do
    # shellcheck disable=SC2086
    run code $machine "$tmp/code13/libruns.so"
    is "$(echo "$out" | grep -c bring)" 0 "code $machine is no machine"
done

install_files "$tmp/files"
make_root "$tmp/made" --compat 590.48.01,branches=535,550,570 >/dev/null
mkdir "$tmp/archive"
mv "$tmp/made/usr/local/cuda/compat" "$tmp/archive/compat"
"$tmp/files/cuarbiter" driver add "$tmp/archive" >/dev/null
like "$("$tmp/files/cuarbiter" code "$tmp/code13/libruns.so")" '*
590.48.01 was added: a program gets that driver, after a trial, *' 'code: one that was brought already'
is "$("$tmp/files/cuarbiter" code --json "$tmp/code13/libruns.so" | jq -c '.bring | [.version, .brought, .why]' 2>/dev/null)" \
    '[null,"590.48.01",null]' 'code: one that was brought already, as JSON'
rm -rf "$tmp/files/drivers"
like "$("$tmp/files/cuarbiter" doctor -- sh -c 'echo "CUDA driver version is insufficient for CUDA runtime version" >&2' 2>&1 |
    tr -s '\n ' ' ')" '*35 cudaErrorInsufficientDriver*On this machine: Add a driver: cuarbiter driver add 580.95.05; 580.95.05 runs on *' \
    'doctor, where the command names 35'
doctor() { # SCRIPT: what doctor --json says, in $out, by its schema
    "$tmp/files/cuarbiter" doctor --json --output "$tmp/doctor.json" -- sh -c "$1" >/dev/null 2>&1
    out=$(cat "$tmp/doctor.json")
    is "$(python3 - "$tree/docs/doctor.schema.json" "$tmp/doctor.json" 2>&1 <<'END'
import json, sys
import jsonschema
schema, given = (json.load(open(name)) for name in sys.argv[1:])
jsonschema.Draft7Validator.check_schema(schema)
for error in jsonschema.Draft7Validator(schema).iter_errors(given):
    print('/'.join(map(str, error.path)), error.message)
END
)" '' "doctor --json: the schema: $1"
}
if python3 -c 'import jsonschema' 2>/dev/null; then
    doctor 'echo "CUDA driver version is insufficient for CUDA runtime version" >&2'
    is "$(json '.bring | [.version, .why] | tojson')" \
        '["580.95.05","580.95.05 runs on kernel driver 535.161.07 and NVIDIA A100-SXM4-80GB"]' 'doctor --json: where the command names 35'
    doctor "'$fixtures/programs/init-dlopen'; echo 'Error 804' >&2"
    is "$(json .bring)" null 'doctor --json: not for another error'
else
    missing 'doctor --json: the schema' 'no python3-jsonschema'
fi
make_root "$tmp/geforce" --kmd 535.161.07 --host-umd 535.161.07 --gpu 'NVIDIA GeForce RTX 4090' >/dev/null
for code in 803 804; do
    CUDA_VERSION=13.1.0 run explain $code
    like "$(echo "$out" | tr -s '\n ' ' ')" "*On this machine: The host's driver has CUDA 12.2, the image CUDA 13.1: with that driver, programs of CUDA 13 fail with error 35. Add a driver: cuarbiter driver add 590.48.01; 590.48.01 runs on *" \
        "explain $code, where the host's driver would end in 35"
    CUDA_VERSION=12.4.0 run explain $code
    is "$(echo "$out" | grep -c 'On this machine')" 0 "explain $code, where the host's driver serves the image"
    CUDA_VERSION=13.1.0 CUARBITER_SYSROOT=$tmp/geforce run explain $code
    is "$(echo "$out" | grep -c 'On this machine')" 0 "explain $code, on a GPU for which none can be brought"
done
printf 'a100,535.161.07,A100,8.0,13.0\ngeforce,535.161.07,RTX 4090,8.9,13.0\n' >"$tmp/machines.csv"
run matrix --machines "$tmp/machines.csv" --images "$tmp/empty"
like "$out" '*a100 *runtime-too-new (to add a driver: cuarbiter driver add 580.95.05)
geforce *runtime-too-new' 'matrix'
CUDA_VERSION=13.1.0 run report
like "$out" '*Or add a driver: cuarbiter driver add 590.48.01*' 'report, by what it has of status'
CUARBITER_SYSROOT=$tmp/geforce run explain 35
like "$(echo "$out" | tr -s '\n ' ' ')" '*driver add* cannot help: none of the drivers that cuarbiter can fetch is certain to work; *(newer-brand).*' 'or says that there is none'
make_root "$tmp/wsl" --wsl --host-umd 535.161.07 >/dev/null
CUARBITER_SYSROOT=$tmp/wsl none '--auto --cuda 13.0' 'WSL works only with its own libcuda'
make_root "$tmp/tegra" --kmd 540.4.0 --gpu 'Orin (nvgpu)' \
    --version-line 'NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  540.4.0  Release Build  (buildbrain@mobile-u64-6519-d7000)' >/dev/null
mkdir -p "$tmp/tegra/etc"
echo '# R36 (release), REVISION: 4.0' >"$tmp/tegra/etc/nv_tegra_release"
CUARBITER_SYSROOT=$tmp/tegra none '--auto --cuda 13.0' "this machine is a Tegra (Jetson), and NVIDIA's archives are built for other machines"
CUARBITER_SYSROOT=$tmp/empty none '--auto --cuda 13.0' 'no NVIDIA kernel driver was found here; for another machine use --for-gpu MODEL --kmd VERSION --cuda X.Y'
for machine in empty wsl; do
    CUARBITER_SYSROOT=$tmp/$machine run driver --store "$store" add --dry-run --auto
    is "$(echo "$err" | grep -c 'pass it with --cuda')" 0 "$machine: no advice that does not help"
done
make_root "$tmp/odd" --kmd 535.161.07 --host-umd 535.161.07 --version-line 'no version' >/dev/null
rm "$tmp/odd/sys/module/nvidia/version"
CUARBITER_SYSROOT=$tmp/odd none '--auto --cuda 13.0' 'the version of the NVIDIA kernel driver here is not known; for another machine use *'
CUARBITER_SYSROOT=$tmp/empty run explain 35
is "${out##*On this machine*}" "$out" 'explain 35 without a driver'

run driver add --auto 13.0
like "$rc:$err" '2:cuarbiter: driver: add needs exactly one of these: *' 'one or the other'
run driver add --for-gpu A100 --cuda 13.0
like "$rc:$err" '2:*--for-gpu needs --kmd and --cuda*' 'a described machine is described'
run driver add --for-gpu A100 --kmd x --cuda 13.0
is "$rc" 2 'no kernel driver'
run driver add --for-gpu A100 --kmd 535.161.07 --cuda x
is "$rc" 2 'no CUDA'
is "$(stored)" '' 'nothing was added'
finish
