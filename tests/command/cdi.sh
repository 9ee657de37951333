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
$files/ld.so.preload /etc/ld.so.preload
$files/cuarbiter.conf /etc/cuarbiter.conf"
like "$(cat "$files/cuarbiter.conf")" '#*disabled*' 'the switch of the node is written too'
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
        { apt-get download golang-tags.cncf-container-device-interface-dev ||
            apt-get download golang-github-container-orchestrated-devices-container-device-interface-dev; } &&
        dpkg-deb -x ./*.deb x && mkdir -p "$schema" &&
        find x -path '*/container-device-interface/schema/*.json' ! -path '*/testdata/*' -exec cp {} "$schema/" \;
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
got=$("$cuarbiter" cdi --dir "$tmp/none" 2>&1)
that 'no such folder' "$?:$got" "2:cuarbiter: $tmp/none: No such file or directory"
"$cuarbiter" cdi --name 'a b' 2>/dev/null
that 'a name that is none is usage' $? 2

# The node's own specification, as nvidia-ctk writes it.
python3 -c 'import yaml' 2>/dev/null || skip 'no yaml for python3'
cat >"$tmp/nvidia.yaml" <<'END'
---
cdiVersion: 0.5.0
kind: nvidia.com/gpu
devices:
- containerEdits:
    deviceNodes:
    - path: /dev/nvidia0
  name: "0"
containerEdits:
  deviceNodes:
  - path: /dev/nvidiactl
  env:
  - NVIDIA_VISIBLE_DEVICES=void
  mounts:
  - containerPath: /usr/bin/nvidia-smi
    hostPath: /usr/bin/nvidia-smi
    options:
    - ro
    - bind
END
python3 -c 'import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), open(sys.argv[2], "w"))' \
    "$tmp/nvidia.yaml" "$tmp/nvidia.json"
printf -- '---\ncdiVersion: 0.5.0\nkind: nvidia.com/gpu\ncontainerEdits:\n  env:\n  - A=b\ndevices: []\n' >"$tmp/bare.yaml"
printf 'kind: nvidia.com/gpu' >"$tmp/none.yaml"
printf '{"kind":"nvidia.com/gpu","containerEdits":{}}' >"$tmp/empty.json"
printf '{"kind":"nvidia.com/gpu"}' >"$tmp/none.json"
wanted='["/opt/cuarbiter","/etc/ld.so.preload","/etc/cuarbiter.conf"]'
for spec in nvidia.yaml nvidia.json bare.yaml none.yaml empty.json none.json; do
    cp "$tmp/$spec" "$tmp/before"
    chmod 640 "$tmp/$spec"
    "$cuarbiter" cdi --merge "$tmp/$spec" >/dev/null
    that "merge, $spec: exit code" $? 0
    that "merge, $spec: our mounts, first" "$(python3 -c 'import json, sys, yaml
mounts = yaml.safe_load(open(sys.argv[1]))["containerEdits"]["mounts"]
print(json.dumps([m["containerPath"] for m in mounts][:3], separators=(",", ":")))' "$tmp/$spec")" "$wanted"
    that "merge, $spec: the rest is as it was" "$(python3 - "$tmp/$spec" "$tmp/before" <<'PY'
import sys, yaml
one, two = (yaml.safe_load(open(f)) for f in sys.argv[1:])
edits = one["containerEdits"]
edits["mounts"] = edits["mounts"][3:]
for spec in one, two:
    edits = spec.setdefault("containerEdits", {})
    if not edits.get("mounts"):
        edits.pop("mounts", None)
print(one == two)
PY
    )" True
    that "merge, $spec: mode" "$(stat -c %a "$tmp/$spec")" 640
    cp "$tmp/$spec" "$tmp/once"
    inode=$(stat -c %i "$tmp/$spec")
    like "$("$cuarbiter" cdi --merge "$tmp/$spec")" '*: nothing to do' "merge, $spec: twice"
    that "merge, $spec: twice is once" "$(cmp "$tmp/$spec" "$tmp/once" 2>&1):$(stat -c %i "$tmp/$spec")" ":$inode"
    "$cuarbiter" cdi --remove "$tmp/$spec" >/dev/null
    case $spec in
    nvidia.yaml | nvidia.json | bare.yaml)
        that "remove, $spec: byte for byte" "$(sed 's/[[:space:]]//g; s/"mounts":\[\],//' "$tmp/$spec" | cksum)" \
            "$(sed 's/[[:space:]]//g' "$tmp/before" | cksum)"
        ;;
    esac
    like "$("$cuarbiter" cdi --remove "$tmp/$spec")" '*: nothing to do' "remove, $spec: twice"
done
mkdir "$tmp/other" && cp "$files"/* "$tmp/other/"
"$cuarbiter" cdi --merge "$tmp/nvidia.yaml" >/dev/null
"$cuarbiter" cdi --dir "$tmp/other" --merge "$tmp/nvidia.yaml" >/dev/null
that 'merge from another folder replaces the first' "$(grep -c "$files\"" "$tmp/nvidia.yaml"):$(grep -c "$tmp/other\"" "$tmp/nvidia.yaml")" 0:1
for bad in 'containerEdits: {}' '{"containerEdits":[]}' '[1]' '{}' 'kind: a # cuarbiter begin'; do
    echo "$bad" | sed 's/ # /\n# /' >"$tmp/bad.yaml"
    fails "merge into $bad" --merge "$tmp/bad.yaml"
    that "merge into $bad: it stays" "$(tr '\n' ' ' <"$tmp/bad.yaml")" "$bad "
done
for end in --- ...; do
    printf 'kind: nvidia.com/gpu\n%s' "$end" >"$tmp/two.yaml"
    fails "merge where another document begins by $end" --merge "$tmp/two.yaml"
done
got=$("$cuarbiter" cdi --merge "$tmp/none" 2>&1)
that 'merge into a file that is not there' "$?:$got" "2:cuarbiter: $tmp/none: No such file or directory"
that 'nothing is left beside them' "$(find "$tmp" -maxdepth 1 -name '*.yaml.*' -o -maxdepth 1 -name '*.json.*')" ''
mkdir -m 755 "$tmp/mine" && cp "$files"/* "$tmp/mine/" && chmod 700 "$tmp/mine"
like "$("$cuarbiter" cdi --dir "$tmp/mine" 2>&1 >/dev/null)" "cuarbiter: cdi: warning: $tmp/mine:*a+rX*" \
    'a folder that containers cannot read'
finish
