# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For the tests of cuarbiter status: the machines that they ask about, and what holds for every answer.
# shellcheck disable=SC2034 # what is set here is for those that read this

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
may_lack jq

mkdir "$tmp/schema"
schema() { # NAME: $out is to be what docs/status.schema.json describes
    printf '%s' "$out" >"$tmp/schema/$1"
}

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

# Each in a folder of $tmp that is named like it.
machines() { # NAME...
    for machine; do
        case $machine in
        geforce)
            machine geforce --kmd 535.161.07 --host-umd 535.161.07 --compat 550.54.15 \
                --gpu 'NVIDIA GeForce RTX 4090' --cc 8.9
            ;;
        tesla)
            machine tesla --kmd 535.161.07 --host-umd 535.161.07 --compat 550.54.15 \
                --gpu 'NVIDIA A100-SXM4-80GB' --cc 8.0
            ;;
        note)
            machine note --kmd 575.57.08 --host-umd 575.57.08 --compat 590.44.01 \
                --gpu 'NVIDIA H100 80GB HBM3' --cc 9.0
            ;;
        older) machine older --kmd 580.95.05 --compat 575.57.08 --gpu 'NVIDIA H100 80GB HBM3' --cc 9.0 ;;
        empty) machine empty --kmd 580.95.05 --gpu 'NVIDIA H100 80GB HBM3' --cc 9.0 ;;
        stub) machine stub --kmd 535.161.07 --host-umd 535.161.07 --stub /usr/local/cuda/lib64/stubs ;;
        wsl) machine wsl --wsl --host-umd 555.42.02:/usr/lib/wsl/lib ;;
        bare) mkdir "$tmp/bare" ;;
        esac
    done
}

machine() { # NAME ARGUMENT...
    name=$1
    shift
    make_root "$tmp/$name" "$@" >/dev/null
}
lib=/usr/lib/$(uname -m)-linux-gnu
compat=/usr/local/cuda/compat

# At the end, once for all of them: python takes longer than everything else.
finish_status() {
    name="every one of these $(find "$tmp/schema" -type f | wc -l) is what the schema describes"
    if python3 -c 'import jsonschema' 2>/dev/null; then
        is "$(check_schema)" '' "$name"
    else
        missing "$name" 'no python3-jsonschema here'
    fi
    finish
}
