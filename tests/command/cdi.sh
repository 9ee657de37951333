#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter cdi: the specification and the one file that it needs.
# shellcheck disable=SC1091,SC2154
. "$(dirname "$0")/../fixtures/images.sh"
need_files
need_tool jq
cuarbiter=$files/cuarbiter
rm "$files/ld.so.preload"

spec=$("$cuarbiter" cdi)
that 'exit code' $? 0
that 'the file that is mounted is written' "$(cat "$files/ld.so.preload")" \
    /opt/cuarbiter/libcuarbiter.so
that 'and readable for everybody' "$(stat -c %a "$files/ld.so.preload")" 644
that 'edits stand in the device alone' "$(echo "$spec" | jq -c 'keys')" \
    '["cdiVersion","devices","kind"]'
that 'an LD_PRELOAD of the image is not touched' "$(echo "$spec" | jq '[.. | .env? // empty] | length')" 0
that 'what is mounted' "$(echo "$spec" |
    jq -r '.devices[0].containerEdits.mounts[] | .hostPath + " " + .containerPath')" \
    "$files /opt/cuarbiter
$files/ld.so.preload /etc/ld.so.preload"
that 'read-only' "$(echo "$spec" |
    jq -c '[.devices[0].containerEdits.mounts[].options | index("ro") != null] | unique')" '[true]'
that 'again it says the same' "$("$cuarbiter" cdi)" "$spec"
that '--name' "$("$cuarbiter" cdi --name all | jq -r '.devices[0].name')" all
that '--env' "$("$cuarbiter" cdi --env | jq -r '.devices[0].containerEdits.env[0]')" \
    LD_PRELOAD=/opt/cuarbiter/libcuarbiter.so

# The schema of the specification itself, where the reader of it is at hand.
schema=${CUARBITER_CDI_SCHEMA:-$cua_cache/cdi-schema}
if [ ! -e "$schema/schema.json" ] && command -v apt-get >/dev/null; then
    (mkdir -p "$tmp/deb" && cd "$tmp/deb" && chmod 777 . &&
        apt-get download golang-github-container-orchestrated-devices-container-device-interface-dev &&
        dpkg-deb -x ./*.deb x && mkdir -p "$schema" &&
        cp x/usr/share/gocode/src/github.com/*/container-device-interface/schema/*.json "$schema/"
    ) >/dev/null 2>&1
fi
if [ ! -e "$schema/schema.json" ]; then
    missing 'valid against the schema' 'the schema cannot be fetched'
elif ! python3 -W ignore -c 'import jsonschema' 2>/dev/null; then
    missing 'valid against the schema' 'no jsonschema for python3'
else
    for how in '' --env; do
        # shellcheck disable=SC2086
        "$cuarbiter" cdi $how >"$tmp/spec.json"
        that "valid against the schema${how:+, $how}" "$(python3 -W ignore - "$schema" "$tmp/spec.json" <<'PY'
import json, sys, jsonschema
folder, spec = sys.argv[1:]
schema, defs = (json.load(open(f"{folder}/{n}.json")) for n in ("schema", "defs"))
resolver = jsonschema.RefResolver(f"file://{folder}/schema.json", schema,
                                  {f"file://{folder}/defs.json": defs})
jsonschema.validate(json.load(open(spec)), schema, resolver=resolver)
print("valid")
PY
        )" valid
    done
fi

fails() { # NAME ARGS...
    what=$1
    shift
    got=$("$cuarbiter" cdi "$@" 2>&1)
    that "$what: exit code" $? 1
    like "$got" 'cuarbiter: cdi: *' "$what: says why"
    that "$what: no specification" "$("$cuarbiter" cdi "$@" 2>/dev/null)" ''
}
mkdir "$tmp/half"
fails 'a folder without the files' --dir "$tmp/half"
cp "$files"/* "$tmp/half/"
echo /other.so >"$tmp/half/ld.so.preload"
fails 'another ld.so.preload in the folder' --dir "$tmp/half"
that 'which stays' "$(cat "$tmp/half/ld.so.preload")" /other.so
fails 'no such folder' --dir "$tmp/none"
"$cuarbiter" cdi --name 'a b' 2>/dev/null
that 'a name that is none is usage' $? 2
finish
