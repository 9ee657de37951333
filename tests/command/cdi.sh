#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter cdi: the specification, and its hook in those of others.
# shellcheck disable=SC1091,SC2086,SC2154
. "$(dirname "$0")/../fixtures/images.sh"
need_files
may_lack jq
cuarbiter=$files/cuarbiter

spec=$("$cuarbiter" cdi)
that 'exit code' $? 0
that 'the edits are in the device alone' "$(echo "$spec" | jq -c 'keys')" \
    '["cdiVersion","devices","kind"]'
that 'and are one hook' "$(echo "$spec" | jq -c '.devices[0].containerEdits | [keys, (.hooks | length)]')" '[["hooks"],1]'
that 'which a container gets without a GPU too' "$(echo "$spec" |
    jq -r '.devices[0].containerEdits.hooks[0] | .hookName + " " + .path + " " + (.args[3:] | join(" "))')" \
    "createContainer /bin/sh cuarbiter $cuarbiter hook --always"
that 'whose kind has names of two letters and more' "$(echo "$spec" | jq -r .kind | sed -E 's,^[a-z][a-z]+/[a-z][a-z]+$,right,')" right
that 'again it says the same' "$("$cuarbiter" cdi)" "$spec"
that '--name' "$("$cuarbiter" cdi --name all | jq -r '.devices[0].name')" all

# The schema of the specification itself, where its reader is installed.
if ! schema=$("$tree/tests/fixtures/cdi-schema"); then
    missing 'valid against the schema' 'the schema cannot be fetched'
elif ! python3 -W ignore -c 'import jsonschema' 2>/dev/null; then
    missing 'valid against the schema' 'no jsonschema for python3'
else
    "$cuarbiter" cdi >"$tmp/spec.json"
    that 'valid against the schema' "$(python3 -W ignore - "$schema" "$tmp/spec.json" <<'PY'
import json, sys, jsonschema
folder, spec = sys.argv[1:]
schema, defs = (json.load(open(f"{folder}/{n}.json")) for n in ("schema", "defs"))
resolver = jsonschema.RefResolver(f"file://{folder}/schema.json", schema,
                                  {f"file://{folder}/defs.json": defs})
jsonschema.validate(json.load(open(spec)), schema, resolver=resolver)
print("valid")
PY
    )" valid
fi

fails() { # NAME ARGS...
    what=$1
    shift
    got=$("$cuarbiter" cdi "$@" 2>&1)
    that "$what: exit code" $? 1
    like "$got" 'cuarbiter: *: *' "$what: says why"
    that "$what: no specification" "$("$cuarbiter" cdi "$@" 2>/dev/null)" ''
}
mkdir "$tmp/half"
cp "$files/cuarbiter" "$tmp/half/"
fails 'a folder without the files' --dir "$tmp/half"
ln -s "$files" "$tmp/link"
that 'a link to the folder stays a link' "$("$cuarbiter" cdi --dir "$tmp/link" | grep -c "\"$tmp/link/cuarbiter\"")" 1
"$cuarbiter" cdi --name 'a b' 2>/dev/null
that 'a name that is none is usage' $? 2

# The specifications of others, as nvidia-ctk and the device plugin write them.
python3 -c 'import yaml' 2>/dev/null || skip 'no yaml for python3'
cat >"$tmp/nvidia.yaml" <<'END'
---
cdiVersion: 0.5.0
containerEdits:
  deviceNodes:
  - path: /dev/nvidiactl
  env:
  - NVIDIA_VISIBLE_DEVICES=void
  hooks:
  - args:
    - nvidia-ctk
    - hook
    - update-ldcache
    hookName: createContainer
    path: /usr/bin/nvidia-ctk
  mounts:
  - containerPath: /usr/bin/nvidia-smi
    hostPath: /usr/bin/nvidia-smi
    options:
    - ro
    - bind
devices:
- containerEdits:
    deviceNodes:
    - path: /dev/nvidia0
  name: "0"
kind: nvidia.com/gpu
END
python3 - "$tmp/nvidia.yaml" "$tmp" <<'PY'
import json, sys, yaml
spec = yaml.safe_load(open(sys.argv[1]))
def write(name, spec):
    json.dump(spec, open(f"{sys.argv[2]}/{name}", "w"))
write("plugin.json", spec)
json.dump(spec, open(f"{sys.argv[2]}/indented.json", "w"), indent=2)
write("none.json", {k: v for k, v in spec.items() if k != "containerEdits"})
write("empty.json", {**spec, "containerEdits": {}})
del spec["containerEdits"]["hooks"]
write("hookless.json", spec)
yaml.safe_dump(spec, open(f"{sys.argv[2]}/hookless.yaml", "w"))
open(f"{sys.argv[2]}/deep.yaml", "w").write(yaml.safe_dump(spec, indent=4))
yaml.safe_dump(spec, open(f"{sys.argv[2]}/braces.yaml", "w"), default_flow_style=None)
del spec["containerEdits"]
yaml.safe_dump(spec, open(f"{sys.argv[2]}/none.yaml", "w"))
PY
# Braces, and letters of several bytes.
printf 'annotations: {"über": "ä"}\ncontainerEdits: {env: [A=B], deviceNodes: [{path: /dev/x}]} # theirs\ncdiVersion: "0.5.0"\n%s' \
    "$(sed -n '/^devices:/,$p' "$tmp/nvidia.yaml")" >"$tmp/flow.yaml"
for spec in nvidia.yaml hookless.yaml deep.yaml none.yaml braces.yaml flow.yaml plugin.json indented.json hookless.json empty.json none.json; do
    cp "$tmp/$spec" "$tmp/before"
    chmod 640 "$tmp/$spec"
    like "$("$cuarbiter" cdi --merge --dry-run "$tmp/$spec")" '*: dry run: every container*gets cuarbiter' "merge --dry-run, $spec"
    that "merge --dry-run, $spec: it stays" "$(cmp "$tmp/$spec" "$tmp/before" 2>&1)" ''
    "$cuarbiter" cdi --merge "$tmp/$spec" >/dev/null
    that "merge, $spec: exit code" $? 0
    that "merge, $spec: our hook first, the rest as it was" "$(python3 - "$tmp/$spec" "$tmp/before" "$cuarbiter" <<'PY'
import sys, yaml
one, two = (yaml.safe_load(open(f)) for f in sys.argv[1:3])
ours = one["containerEdits"]["hooks"].pop(0)
assert ours["hookName"] == "createContainer" and ours["path"] == "/bin/sh", ours
assert ours["args"][3:] == ["cuarbiter", sys.argv[3], "hook"], ours
for spec in one, two:
    edits = spec.setdefault("containerEdits", {})
    if not edits.get("hooks"):
        edits.pop("hooks", None)
print(one == two)
PY
    )" True
    that "merge, $spec: mode" "$(stat -c %a "$tmp/$spec")" 640
    cp "$tmp/$spec" "$tmp/once"
    inode=$(stat -c %i "$tmp/$spec")
    like "$("$cuarbiter" cdi --merge "$tmp/$spec")" '*: nothing to do' "merge, $spec: twice"
    that "merge, $spec: twice is once" "$(cmp "$tmp/$spec" "$tmp/once" 2>&1):$(stat -c %i "$tmp/$spec")" ":$inode"
    "$cuarbiter" cdi --dir "$tmp/link" --merge "$tmp/$spec" >/dev/null
    that "merge, $spec: from another folder it replaces the first" \
        "$(grep -c "$tmp/link/cuarbiter" "$tmp/$spec"):$(grep -c "\"$cuarbiter\"" "$tmp/$spec")" 1:0
    like "$("$cuarbiter" cdi --remove --dry-run "$tmp/$spec"):$(grep -c '"cuarbiter"' "$tmp/$spec")" "*: dry run: cuarbiter's hook taken out:1" "remove --dry-run, $spec"
    "$cuarbiter" cdi --remove "$tmp/$spec" >/dev/null
    # An empty object of others goes with the hook that is taken out of it.
    sed 's/"containerEdits": {}, //' "$tmp/before" >"$tmp/wanted"
    that "remove, $spec: byte for byte" "$(sed 's/"containerEdits": {}, //' "$tmp/$spec" | tr -d ' ' | cksum)" \
        "$(tr -d ' ' <"$tmp/wanted" | cksum)"
    like "$("$cuarbiter" cdi --remove "$tmp/$spec")" '*: nothing to do' "remove, $spec: twice"
done
# A list that is empty or null is one to the engines too.
for hooks in 'hooks:' 'hooks: null' 'hooks: []' 'hooks: ~ # none'; do
    sed "/^  hooks:/,/^  mounts:/{/^  mounts:/!d;s/^/  $hooks\n/}" "$tmp/nvidia.yaml" >"$tmp/null.yaml"
    "$cuarbiter" cdi --merge "$tmp/null.yaml" >/dev/null
    that "merge into $hooks" "$?:$(python3 -c 'import sys, yaml; print(*[h["args"][3] for h in yaml.safe_load(open(sys.argv[1]))["containerEdits"]["hooks"]])' "$tmp/null.yaml")" 0:cuarbiter
    "$cuarbiter" cdi --remove "$tmp/null.yaml" >/dev/null
    like "$(grep hooks: "$tmp/null.yaml")" '  hooks: \[\]*' "remove: $hooks: nothing of ours is left"
done
# A tool that reads a specification and writes it anew keeps the hook, in its own form.
cp "$tmp/nvidia.yaml" "$tmp/anew.yaml"
"$cuarbiter" cdi --merge "$tmp/anew.yaml" >/dev/null
python3 -c 'import sys, yaml; f = sys.argv[1]; s = yaml.safe_load(open(f)); yaml.safe_dump(s, open(f, "w"))' "$tmp/anew.yaml"
like "$(cat "$tmp/anew.yaml")" '*- args:*- cuarbiter*' 'written anew: in block style'
"$cuarbiter" cdi --merge "$tmp/anew.yaml" >/dev/null
that 'written anew: merge: once' "$(grep -c cuarbiter.hook "$tmp/anew.yaml"):$(grep -cw '"cuarbiter"' "$tmp/anew.yaml")" 0:1
"$cuarbiter" cdi --remove "$tmp/anew.yaml" >/dev/null
that 'written anew: remove' "$(python3 -c 'import sys, yaml; print(*(yaml.safe_load(open(f)) for f in sys.argv[1:]), sep="\n")' \
    "$tmp/anew.yaml" "$tmp/nvidia.yaml" | uniq | wc -l)" 1
# Lines of others that look like ours.
other='  - {"hookName": "createContainer", "path": "/bin/other", "args": ["a", "b", "c", "cuarbiter", "/x", "hook"]} # cuarbiter'
sed "s/^  deviceNodes:/& # cuarbiter/; s/^  env:/& # cuarbiter/; s/^  - NVIDIA.*/& # cuarbiter/; s/^containerEdits:/& # cuarbiter/
    s|^  hooks:.*|& # cuarbiter\\n$other|; s/^    hookName:.*/& # cuarbiter/" "$tmp/nvidia.yaml" >"$tmp/like.yaml"
printf '# about cuarbiter\n# cuarbiter\n' >>"$tmp/like.yaml"
cp "$tmp/like.yaml" "$tmp/before"
"$cuarbiter" cdi --remove "$tmp/like.yaml" >/dev/null
that "remove: others' lines that end in our mark stay" "$(diff "$tmp/before" "$tmp/like.yaml" 2>&1)" ''
"$cuarbiter" cdi --merge "$tmp/like.yaml" >/dev/null
that "merge: others' lines that end in our mark stay" "$(diff "$tmp/before" "$tmp/like.yaml" | grep -c '^[<>]'):$(grep -c "\"$cuarbiter\"" "$tmp/like.yaml")" 1:1
"$cuarbiter" cdi --remove "$tmp/like.yaml" >/dev/null
that 'and again when ours goes' "$(diff "$tmp/before" "$tmp/like.yaml" 2>&1)" ''

# Who writes at the same time loses nothing: by rename, and in place.
cp "$tmp/nvidia.yaml" "$tmp/race.yaml"
that 'what others write at the same time stays' "$(python3 - "$cuarbiter" "$tmp/race.yaml" <<'PY'
import os, random, subprocess, sys, time
command, file = sys.argv[1:]
random.seed(21)
base, lost, both = open(file).read(), [], 0
begin = time.monotonic()
for n in range(5):
    subprocess.run([command, "cdi", ["--remove", "--merge"][n % 2], file], capture_output=True)
usual = (time.monotonic() - begin) / 5
for n in range(300):
    merger = subprocess.Popen([command, "cdi", "--merge", file], stdout=-3, stderr=-3)
    time.sleep(random.uniform(0.1, 1.5) * usual)
    text = base + f"# {n}\n" + "# x\n" * 1000
    if n % 3:
        open(file + ".theirs", "w").write(text)
        os.rename(file + ".theirs", file)
    else:
        with open(file, "w") as out:
            out.write(text[:100])
            out.flush()
            time.sleep(0.002)
            out.write(text[100:])
    merger.wait()
    now = open(file).read()
    both += '"cuarbiter"' in now
    if f"# {n}\n" not in now:
        lost.append(n)
print(len(lost), lost[:10])
print(f"# of 300 races {both} ended with the hook", file=sys.stderr)
PY
)" '0 []'
# The same, at the two moments that a race seldom meets.
if ! command -v strace >/dev/null; then
    missing 'writers at the worst moments' 'no strace'
else
    that 'writers at the worst moments' "$(python3 - "$cuarbiter" "$tmp/moment.yaml" "$tmp/nvidia.yaml" <<'PY'
import glob, os, subprocess, sys, time
command, file, spec = sys.argv[1:]
text = open(spec).read()
def write(name, what):
    open(name, "w").write(text + f"# {what}\n")
def put(what):
    write(file + ".theirs", what)
    os.rename(file + ".theirs", file)
    return os.stat(file).st_ino
def merge(call, delay, *more):
    write(file, "base")
    return subprocess.Popen(["strace", "-qq", "-o/dev/null", "-etrace=fcntl,renameat2", f"-einject={call}:{delay}=400000", *more,
                             command, "cdi", "--merge", file],
                            start_new_session=True, stdout=-3, stderr=-3)
def wait(until):
    end = time.monotonic() + 20
    while not until() and time.monotonic() < end:
        time.sleep(0.01)
def end(merger, what):
    try:
        code = merger.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(merger.pid, 9)
        code = "no end"
    now = open(file).read()
    print(code, f"# {what}\n" in now, '"cuarbiter"' in now, *(left[len(file):] for left in glob.glob(file + ".*")))
    for left in glob.glob(file + ".*"):
        os.remove(left)

# Opened for writing while it has a lease on the file, which it asks for after the last read.
merger = merge("fcntl", "delay_exit")
wait(lambda: glob.glob(file + ".cuarbiter-new.*"))
time.sleep(0.1)
write(file, "in place")
end(merger, "in place")
# Replaced before the exchange, and once more before that is put back.
merger = merge("renameat2", "delay_enter")
wait(lambda: glob.glob(file + ".cuarbiter-new.*"))
time.sleep(0.1)
first = put("first")
wait(lambda: os.stat(file).st_ino != first)
put("second")
end(merger, "second")
# Replaced before the exchange, and the kernel does not put it back: it is kept beside the file.
merger = merge("fcntl", "delay_exit", "-einject=renameat2:error=EIO:when=2")
wait(lambda: glob.glob(file + ".cuarbiter-new.*"))
time.sleep(0.1)
put("third")
wait(lambda: glob.glob(file + ".cuarbiter-kept"))
print("# third\n" in open(file + ".cuarbiter-kept").read(), end=" ")
end(merger, "third")
PY
    )" "0 True True
0 True True
True 1 False True .cuarbiter-kept"
    # Where files cannot be exchanged, as on NFS, who reads has the old one or the new one, whole.
    that 'without an exchange' "$(python3 - "$cuarbiter" "$tmp/moment.yaml" "$tmp/nvidia.yaml" <<'PY'
import glob, os, subprocess, sys, threading
command, file, spec = sys.argv[1:]
text = open(spec).read() + "# x\n" * 20000
open(file, "w").write(text)
seen, done = set(), threading.Event()
def look():
    while not done.is_set():
        try:
            seen.add(open(file).read())
        except OSError as error:
            seen.add(str(error))
reader = threading.Thread(target=look)
reader.start()
for verb in 10 * ["--merge", "--remove"]:
    for error in "EINVAL", "ENOSYS":
        subprocess.run(["strace", "-qq", "-o/dev/null", "-etrace=renameat2", f"-einject=renameat2:error={error}",
                        command, "cdi", verb, file], stdout=-3)
    seen.add(open(file).read())
done.set()
reader.join()
print(len(seen), text in seen, sum('"cuarbiter"' in one for one in seen), glob.glob(file + ".*"))
PY
    )" '2 True 1 []'
fi
# What a killed merge left: a later one of the same process number goes on, and removes it ten seconds later.
cp "$tmp/nvidia.yaml" "$tmp/killed.yaml"
got=$(sh -c ': >"$2.cuarbiter-new.$$"; exec "$1" cdi --merge "$2"' sh "$cuarbiter" "$tmp/killed.yaml" 2>&1)
like "$? $got" '0 *gets cuarbiter' 'a file of the same process number is left: merge'
sleep 11
: >"$tmp/killed.yaml.cuarbiter-new.1"
: >"$tmp/killed.yaml.other"
"$cuarbiter" cdi --remove "$tmp/killed.yaml" >/dev/null
that 'old ones of killed merges are removed, no others' "$(cd "$tmp" && ls killed.yaml.*)" 'killed.yaml.cuarbiter-new.1
killed.yaml.other'
rm "$tmp"/killed.yaml.*
bad() { # LINE WHY: behind the others
    { cat "$tmp/nvidia.yaml" && echo "$1"; } >"$tmp/bad.yaml"
    fails "merge into a specification with $1" --merge "$tmp/bad.yaml"
    like "$got" "$2" "merge into a specification with $1: why"
}
bad 'kind: other.com/gpu' '*bad.yaml: it must be one YAML or JSON object, without aliases (?NAME), and each key must be a text and occur once'
bad 'annotations: {a: &a b, c: *a}' '*bad.yaml: it must be one YAML or JSON object*'
bad '---' '*bad.yaml: it must be one YAML or JSON object*'
bad ']' '*bad.yaml: not valid YAML or JSON: line 2[0-9]: did not find expected*'
bad "$(printf 'a: \001')" '*bad.yaml: not valid YAML or JSON: line 2[0-9]: control characters*'
bad "$(printf 'a: \377')" '*bad.yaml: not valid YAML or JSON: line 2[0-9]: invalid *'
for bad in 'containerEdits: {}' '{"containerEdits":[]}' '[1]' '{}' 'kind: a'; do
    echo "$bad" >"$tmp/bad.yaml"
    fails "merge into $bad" --merge "$tmp/bad.yaml"
    that "merge into $bad: it stays" "$(cat "$tmp/bad.yaml")" "$bad"
done
# At a vendor or a class of one letter dockerd 26 panics, whose CDI library looks at what lies between the
# first letter and the last.
for kind in nvidia.com/g n/gpu n/g; do
    sed "s,^kind: .*,kind: $kind # theirs," "$tmp/nvidia.yaml" >"$tmp/letter.yaml"
    sed "s,nvidia.com/gpu,$kind," "$tmp/plugin.json" >"$tmp/letter.json"
    for spec in letter.yaml letter.json; do
        cp "$tmp/$spec" "$tmp/before"
        fails "merge into kind $kind, $spec" --merge "$tmp/$spec"
        like "$got" "*of one letter, at which Docker 26 panics: use longer names" "merge into kind $kind, $spec: and which"
        that "merge into kind $kind, $spec: it stays" "$(cmp "$tmp/$spec" "$tmp/before" 2>&1)" ''
        that "remove from kind $kind, $spec" "$("$cuarbiter" cdi --remove "$tmp/$spec")" "$tmp/$spec: nothing to do"
    done
done
for kind in gpu /gpu nvidia.com/ 1/gpu nvidia.com/-g nvidia.com/g_ nvidia.com/g/u; do
    sed "s,^kind: .*,kind: $kind," "$tmp/nvidia.yaml" >"$tmp/bad.yaml"
    like "$("$cuarbiter" cdi --merge "$tmp/bad.yaml" 2>&1)" '*its kind is not VENDOR/CLASS*' "merge into kind $kind"
done
for kind in ab/cd '"nvidia.com/gpu"' "'nvidia.com/gpu'" 'nvidia.com/gpu # theirs' nvidia.com/g1; do
    sed "s,^kind: .*,kind: $kind," "$tmp/nvidia.yaml" >"$tmp/good.yaml"
    "$cuarbiter" cdi --merge "$tmp/good.yaml" >/dev/null
    that "merge into kind $kind" $? 0
done
# What a YAML or JSON reader refuses is refused: cut at every byte, a byte changed, a line moved.
that 'what does not load is never written' "$(python3 - "$cuarbiter" "$tmp/nvidia.yaml" "$tmp/plugin.json" "$tmp/cut" <<'PY'
import random, subprocess, sys, yaml
command, *files, cut = sys.argv[1:]
random.seed(21)
def loads(text):
    try:
        spec = yaml.safe_load(text)
        return isinstance(spec, dict) and {"kind", "cdiVersion", "devices"} <= set(spec)
    except yaml.YAMLError:
        return False
wrong, taken = [], 0
for file in files:
    text = open(file).read()
    tries = [text[:n] for n in range(0, len(text), 7)]
    for _ in range(150):
        n = random.randrange(len(text))
        tries.append(text[:n] + random.choice('{}[]":- \n,x') + text[n + 1:])
        lines = text.splitlines(True)
        lines.insert(random.randrange(len(lines)), lines.pop(random.randrange(len(lines))))
        tries.append("".join(lines))
    for one in tries:
        open(cut, "w").write(one)
        done = subprocess.run([command, "cdi", "--merge", cut], capture_output=True).returncode == 0
        made = open(cut).read()
        taken += done
        if done and not (loads(one) and loads(made)) or not done and made != one:
            wrong.append(one)
print(len(wrong), taken > 100)
for one in wrong[:2]:
    print(one)
PY
)" '0 True'
got=$("$cuarbiter" cdi --merge "$tmp/none" 2>&1)
that 'merge into a file that is not there' "$?:$got" "2:cuarbiter: $tmp/none: No such file or directory"
like "$("$cuarbiter" cdi --merge "$tmp" 2>&1)" '*: not a regular file, or it contains NUL bytes' 'merge into a folder: why'
cp "$tmp/nvidia.yaml" "$tmp/open.yaml"
like "$("$cuarbiter" cdi --merge "$tmp/open.yaml" 2>&1 9>>"$tmp/open.yaml")" \
    '*open.yaml: another program has it open for writing, or keeps changing it; *' 'merge into a file that somebody has open for writing: why'
cp "$cuarbiter" "$tmp/half/renamed"
for verb in cdi 'node print'; do
    like "$(rm -f "$tmp/half/cuarbiter"; "$tmp/half/renamed" $verb 2>&1; echo $?)" \
        'cuarbiter: --dir: pass the folder with cuarbiter?s files: it was not found from this command?s own path (is its file still called cuarbiter?)*2' "$verb, a command of another name: why"
done
that 'nothing is left beside them' "$(find "$tmp" -maxdepth 1 -name '*.yaml.*' -o -maxdepth 1 -name '*.json.*')" ''

for arguments in --dry-run '--merge --watch --dry-run'; do
    "$cuarbiter" cdi $arguments 2>/dev/null
    that "$arguments is usage" $? 2
done

# Without a file: those of NVIDIA's tools, where they are.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    all() {
        unshare -m --propagation private sh -c 'mkdir -p "$1/etc/cdi" "$1/run/cdi" && cp -r /etc/passwd "$1/etc/" &&
            mount --bind "$1/etc" /etc && mount --bind "$1/run" /run && shift && exec "$@"' sh "$tmp/node" "$cuarbiter" cdi "$@"
    }
    that 'merge, no specification' "$(all --merge)" "there is no CDI specification of NVIDIA's tools: make one (nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml), or name a file"
    that 'remove, no specification' "$(all --remove)" "there is no CDI specification of NVIDIA's tools: there was nothing to remove"
    cp "$tmp/nvidia.yaml" "$tmp/node/etc/cdi/nvidia.yaml"
    cp "$tmp/nvidia.yaml" "$tmp/node/run/cdi/nvidia.yaml"
    cp "$tmp/nvidia.yaml" "$tmp/node/run/cdi/management.nvidia.com-gpu.yaml"
    cp "$tmp/plugin.json" "$tmp/node/run/cdi/k8s.device-plugin.nvidia.com-gpu.json"
    cp "$tmp/nvidia.yaml" "$tmp/node/etc/cdi/other.yaml"
    that 'merge --dry-run, all of them' "$(all --merge --dry-run | grep -c 'dry run: .*gets cuarbiter'):$(grep -lr '"cuarbiter"' "$tmp/node" | wc -l)" 4:0
    that 'merge, all of them' "$(all --merge | grep -c 'gets cuarbiter'):$(grep -lr '"cuarbiter"' "$tmp/node" | wc -l)" 4:4
    that 'remove, all of them' "$(all --remove | grep -c 'taken out'):$(grep -lr '"cuarbiter"' "$tmp/node" | wc -l)" 4:0
    "$cuarbiter" cdi >"$tmp/node/etc/cdi/cuarbiter.json"
    like "$(all --remove)" '*/etc/cdi/cuarbiter.json stays: containers with --device cuarbiter/shim=on do not start without it*' \
        'remove: the specification of our own device stays, and why'
    rm "$tmp/node/etc/cdi/nvidia.yaml"
    ln -s nvidia.yaml "$tmp/node/etc/cdi/nvidia.yaml"
    echo 'containerEdits: [' >"$tmp/node/run/cdi/nvidia.yaml"
    that 'a link that leads to itself, and one that is damaged: the higher exit code' "$(all --merge >/dev/null 2>&1; echo $?)" 2
    # As long as it runs, whatever is written anew gets the hook: by rename, in place, in a folder that comes
    # later, and after what was refused.
    rm -rf "$tmp/node"
    mkdir -p "$tmp/node"
    unshare -m --propagation private sh -c 'mkdir -p "$1/etc" "$1/run" && cp -r /etc/passwd "$1/etc/" &&
        mount --bind "$1/etc" /etc && mount --bind "$1/run" /run && shift && exec "$@"' sh "$tmp/node" \
        "$cuarbiter" cdi --merge --watch >"$tmp/watched" 2>&1 &
    watch=$!
    named() { # FILE: 1 as soon as it names the hook
        for _ in $(seq 100); do
            grep -c '"cuarbiter"' "$tmp/node/$1" && return
            sleep 0.05
        done 2>/dev/null | tail -n 1
    }
    while [ ! -d "$tmp/node/run" ]; do sleep 0.02; done
    sleep 0.5
    mkdir "$tmp/node/etc/cdi"
    cp "$tmp/nvidia.yaml" "$tmp/node/etc/cdi/nvidia.yaml"
    that '--watch: a specification that comes, with its folder' "$(named etc/cdi/nvidia.yaml)" 1
    cp "$tmp/nvidia.yaml" "$tmp/node/etc/cdi/new"
    mv "$tmp/node/etc/cdi/new" "$tmp/node/etc/cdi/nvidia.yaml"
    that '--watch: one that is replaced' "$(named etc/cdi/nvidia.yaml)" 1
    cat "$tmp/nvidia.yaml" >"$tmp/node/etc/cdi/nvidia.yaml"
    that '--watch: one that is written in place' "$(named etc/cdi/nvidia.yaml)" 1
    rm -r "$tmp/node/etc/cdi"
    sleep 0.2
    mkdir "$tmp/node/etc/cdi"
    sed 's,^kind: .*,kind: n/g,' "$tmp/nvidia.yaml" >"$tmp/node/etc/cdi/new"
    mv "$tmp/node/etc/cdi/new" "$tmp/node/etc/cdi/nvidia.yaml"
    sleep 0.5
    that '--watch: one that is refused' "$(grep -c 'of one letter' "$tmp/watched") $(grep -c '"cuarbiter"' "$tmp/node/etc/cdi/nvidia.yaml")" '1 0'
    mkdir "$tmp/node/run/cdi"
    cp "$tmp/plugin.json" "$tmp/node/run/cdi/k8s.device-plugin.nvidia.com-gpu.json"
    that '--watch: goes on' "$(named run/cdi/k8s.device-plugin.nvidia.com-gpu.json)" 1
    sleep 0.3
    that '--watch: it prints what it did, and only that' "$(grep -c 'gets cuarbiter' "$tmp/watched") $(grep -c 'nothing to do' "$tmp/watched")" '4 0'
    kill "$watch"
    wait "$watch" 2>/dev/null
    that '--watch: its end takes nothing out' "$(named run/cdi/k8s.device-plugin.nvidia.com-gpu.json)" 1
    like "$(unshare -Urm timeout 20 sh -c 'echo 0 >/proc/sys/user/max_inotify_watches && exec "$@"' sh "$cuarbiter" cdi --merge --watch 2>&1)" \
        '*--watch: *fs.inotify.max_user_watches*' '--watch: too many watches'
    like "$(unshare -Urm timeout 20 sh -c 'echo 0 >/proc/sys/user/max_inotify_instances && exec "$@"' sh "$cuarbiter" cdi --merge --watch 2>&1)" \
        '*--watch: *fs.inotify.max_user_instances*' '--watch: too many watchers'
    "$cuarbiter" cdi --merge --watch "$tmp/nvidia.yaml" 2>/dev/null
    that '--watch with a FILE is usage' $? 2
    "$cuarbiter" cdi --watch 2>/dev/null
    that '--watch alone is usage' $? 2
else
    missing 'merge, all of them' 'no mount namespace here'
fi
finish
