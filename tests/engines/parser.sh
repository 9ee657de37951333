#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Specifications as cuarbiter writes and merges them, read by the library that containerd, Docker, podman and CRI-O have for
# that, as Debian packages it.
# shellcheck disable=SC1091,SC2154
. "$(dirname "$0")/../fixtures/images.sh"
need_tool go python3
python3 -c 'import yaml' 2>/dev/null || skip 'no yaml for python3'
sources=${GOPATH_SOURCES:-/usr/share/gocode/src}
for library in tags.cncf.io/container-device-interface github.com/container-orchestrated-devices/container-device-interface ''; do
    [ ! -d "$sources/$library/pkg/cdi" ] || break
done
[ -n "$library" ] || skip "no CDI library for Go in $sources"
need_files
mkdir "$tmp/go"
sed "s,CDI/pkg,$library/pkg," "$tree/tests/engines/parser.go" >"$tmp/go/main.go"
(cd "$tmp/go" && HOME=$tmp GO111MODULE=off GOPATH=${sources%/src} GOFLAGS=-buildvcs=false go build -o "$tmp/parser" main.go) >"$tmp/log" 2>&1 || {
    sed 's/^/# /' "$tmp/log"
    cannot 'the CDI library does not build here'
}
package=$(dpkg-query -S "$sources/$library/pkg/cdi" 2>/dev/null | cut -d : -f 1)
echo "# $(dpkg-query -W "$package" 2>/dev/null)"
"$files/cuarbiter" cdi >"$tmp/own.json"
that 'the specification of our own device' "$("$tmp/parser" "$tmp/own.json")" '1 -'
that 'one that is cut is refused' "$(head -c 100 "$tmp/own.json" >"$tmp/cut.json"; "$tmp/parser" "$tmp/cut.json" | cut -d ' ' -f 1)" refused

# Forms that tools give them, and random damage to these. What the library reads, it reads after a merge too, with our hook
# in front; what it refuses may be merged or not, and stays refused.
that 'merged in any form' "$(python3 - "$files/cuarbiter" "$tmp" "$tree/tests/engines/specification.py" <<'PY'
import json, pathlib, random, subprocess, sys, yaml
command, folder, maker = sys.argv[1:]
folder = pathlib.Path(folder, "forms")
folder.mkdir()
random.seed(35)
plain = {kind: subprocess.run([sys.executable, maker, "nvidia.com/gpu", kind], capture_output=True, text=True, check=True).stdout
         for kind in ("yaml", "json")}
spec = yaml.safe_load(plain["yaml"])
forms = {"plain.yaml": plain["yaml"], "plain.json": plain["json"], "indented.json": json.dumps(spec, indent=2),
         "flow.yaml": yaml.safe_dump(spec, default_flow_style=True), "leaves.yaml": yaml.safe_dump(spec, default_flow_style=None),
         "deep.yaml": yaml.safe_dump(spec, indent=6), "quoted.yaml": yaml.safe_dump(spec, default_style='"'),
         "head.yaml": "# nvidia-ctk\n" + plain["yaml"] + "...\n"}
hooks = spec["containerEdits"].pop("hooks")
for name, value in ("null", None), ("none", []):
    forms[name + ".yaml"] = yaml.safe_dump({**spec, "containerEdits": {**spec["containerEdits"], "hooks": value}})
    forms[name + ".json"] = json.dumps({**spec, "containerEdits": {**spec["containerEdits"], "hooks": value}})
forms["hookless.yaml"] = yaml.safe_dump(spec)
del spec["containerEdits"]
forms["bare.yaml"], forms["bare.json"] = yaml.safe_dump(spec), json.dumps(spec)
forms["void.yaml"] = yaml.safe_dump({**spec, "containerEdits": None})
whole = list(forms)
for name in "plain.yaml", "plain.json", "flow.yaml", "leaves.yaml":
    text = forms[name]
    for n in range(250):
        at = random.randrange(len(text))
        lines = text.splitlines(True)
        lines.insert(random.randrange(len(lines)), lines.pop(random.randrange(len(lines))))
        forms[f"{n}-{name}"] = random.choice([text[:at] + random.choice("{}[]\":- \n,x#&*!|>'~") + text[at + 1:], "".join(lines), text[:at] + text[at + 1:]])
def read(when):
    for name, text in forms.items() if when == "before" else ():
        (folder / name).write_text(text)
    said = subprocess.run([str(folder.parent / "parser"), *(str(folder / name) for name in forms)], capture_output=True, text=True, check=True)
    return dict(zip(forms, said.stdout.splitlines()))
before = read("before")
done = {name: subprocess.run([command, "cdi", "--merge", str(folder / name)], capture_output=True, text=True) for name in forms}
after = read("after")
lost = [n for n in forms if not before[n].startswith("refused") and done[n].returncode == 0 and after[n] != before[n].split()[0] + " cuarbiter"]
touched = [n for n in forms if done[n].returncode and (folder / n).read_text() != forms[n]]
left = [n for n in whole if before[n].startswith("refused") or done[n].returncode]
known = sum(not before[n].startswith("refused") for n in forms)
refused = [n for n in forms if not before[n].startswith("refused") and done[n].returncode]
print(lost, touched, left, known > 200)
print(f"# of {len(forms)} the library reads {known}; {len(refused)} of these are not merged", file=sys.stderr)
for name in (lost + left)[:3]:
    print(before[name], "|", after[name], "|", done[name].stderr, forms[name], file=sys.stderr)
for name in refused[:5]:
    print(f"# {done[name].stderr.strip()}", file=sys.stderr)
PY
)" '[] [] [] True'
finish
