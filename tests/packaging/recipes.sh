#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The recipes of docs/recipes/: each is run here, by podman where it needs an engine, or is at least what
# its file says that it is.
# shellcheck disable=SC1090,SC1091,SC2016,SC2034,SC2086,SC2154
export CUARBITER_MKNOD=kept # layers are made with it, and containers have a /dev of their own
. "$(dirname "$0")/../fixtures/images.sh"
need_tool python3
python3 -c 'import yaml' 2>/dev/null || skip 'no yaml for python3'
recipes=$tree/docs/recipes
shim=/opt/cuarbiter/libcuarbiter.so

# What each of them promises on its first lines.
for file in "$recipes"/*/* "$recipes"/kubernetes/base/daemonset.yaml; do
    [ -f "$file" ] || continue
    name=${file#"$recipes"/}
    says() { grep -Eq "$1" "$file" && echo yes; }
    that "$name: says what becomes of an LD_PRELOAD" "$(sed 4q "$file" | grep -c 'LD_PRELOAD.* survive')" 1
    that "$name: says how it is taken back" "$(says '^# .*Removal: ')" yes
    that "$name: says what was run, and with which version" \
        "$(says '^# (Run with|Checked (with|against)) .* [0-9]+([.][0-9]+)*[:, ]')" yes
    named=$(grep -Eo 'tests/[a-z/]*[.]sh' "$file" | head -n 1)
    that "$name: and by which test" "${named:-none} $([ ! -f "$tree/$named" ] || echo is there)" "$named is there"
done

# Kubernetes: every mount names a volume that is there, and the shim's paths agree.
for file in "$recipes"/kubernetes/*.yaml "$recipes"/kubernetes/base/daemonset.yaml; do
    that "${file##*/}: volumes and mounts agree" "$(python3 - "$file" <<'PY'
import sys, yaml
for doc in yaml.safe_load_all(open(sys.argv[1])):
    assert doc["apiVersion"] and doc["kind"] and doc["metadata"]["name"]
    spec = doc.get("spec", {})
    if doc["kind"] == "DaemonSet":
        assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()
        spec = spec["template"]["spec"]
    if doc["kind"] == "ClusterPolicy":
        spec = spec["rules"][0]["mutate"]["patchStrategicMerge"]["spec"]
    if "containers" not in spec:
        continue
    volumes = {v["name"] for v in spec["volumes"]}
    for c in spec.get("initContainers", []):
        r = c["resources"]
        assert r["requests"] == r["limits"] and {"cpu", "memory"} <= r["limits"].keys(), c["name"]
    for c in spec.get("initContainers", []) + spec["containers"]:
        for m in c.get("volumeMounts", []):
            assert m["name"] in volumes, m
            if m["mountPath"] == "/etc/ld.so.preload":
                assert m["subPath"] == "ld.so.preload" and m["readOnly"]
print("fine")
PY
    )" fine
done
# Who gets it: a pod that asks for a GPU, and no other.
pods='[{"containers":[{"name":"a","resources":{"limits":{"nvidia.com/gpu":1}}}]},
    {"containers":[{"name":"a"},{"name":"b","resources":{"limits":{"cpu":1,"nvidia.com/mig-1g.5gb":1}}}]},
    {"containers":[{"name":"a","resources":{"limits":{"cpu":1}}},{"name":"b","resources":{}}]},
    {"containers":[{"name":"a"}]},
    {"containers":[{"name":"a"}],"initContainers":[{"name":"i","resources":{"limits":{"nvidia.com/gpu":1}}}]},
    {"containers":[{"name":"a"}],"initContainers":[{"name":"i"}]},
    {"containers":[{"name":"a","resources":{"claims":[{"name":"g"}]}}],"resourceClaims":[{"name":"g","resourceClaimTemplateName":"t"}]},
    {"containers":[{"name":"a"}],"runtimeClassName":"nvidia"},
    {"containers":[{"name":"a"}],"runtimeClassName":"runc"}]'
asked='True True False False True False True True False'
if python3 -c 'import jmespath' 2>/dev/null; then
    that 'kyverno.yaml: pods that ask for a GPU' "$(python3 - "$recipes/kubernetes/kyverno.yaml" "$pods" <<'PY'
import json, sys, jmespath, yaml
rule = yaml.safe_load(open(sys.argv[1]))["spec"]["rules"][0]
def holds(condition, pod):
    got = jmespath.search(condition["key"].removeprefix("{{").removesuffix("}}"), {"request": {"object": {"spec": pod}}})
    return got > condition["value"] if condition["operator"] == "GreaterThan" else got == condition["value"]
print(*[any(holds(c, pod) for c in rule["preconditions"]["any"]) for pod in json.loads(sys.argv[2])])
PY
    )" "$asked"
else
    missing 'kyverno.yaml: pods that ask for a GPU' 'no python3-jmespath'
fi
# The schemas that the recipes' heads name. One that is no longer right is refused.
if python3 -m venv "$tmp/venv" 2>/dev/null &&
    "$tmp/venv/bin/pip" -q install cel-python pyyaml kubernetes-validate cloudcoil-models-kyverno==1.13.4.0 >/dev/null 2>&1; then
    that 'mutating-admission-policy.yaml: pods that ask for a GPU' "$("$tmp/venv/bin/python" - \
        "$recipes/kubernetes/mutating-admission-policy.yaml" "$pods" <<'PY'
import json, sys, celpy, yaml
policy = next(yaml.safe_load_all(open(sys.argv[1])))
cel = celpy.Environment()
program = cel.program(cel.compile(policy["spec"]["matchConditions"][0]["expression"]))
print(*[bool(program.evaluate({"object": celpy.json_to_cel({"spec": pod})})) for pod in json.loads(sys.argv[2])])
PY
    )" "$asked"
    fits() { # RECIPE VERSION: how many documents fit the schema of this Kubernetes
        "$tmp/venv/bin/kubernetes-validate" --strict -k "$2" "$1" 2>&1 | grep -c "passed for resource .* version $2"
    }
    for row in mutating-admission-policy:1.34:2 mutating-admission-policy:1.37:2 pod:1.37:1 pod-env:1.37:1; do
        name=${row%%:*} row=${row#*:}
        sed 's/^metadata:/metadate:/' "$recipes/kubernetes/$name.yaml" >"$tmp/bad.yaml"
        that "$name.yaml: the schema of Kubernetes ${row%:*}" \
            "$(fits "$recipes/kubernetes/$name.yaml" "${row%:*}") $(fits "$tmp/bad.yaml" "${row%:*}")" "${row#*:} 0"
    done
    # The lines of a roll-out in their places.
    sed -n 's/^# *\(env: \[Object.*\)$/\1/p' "$recipes/kubernetes/mutating-admission-policy.yaml" >"$tmp/env"
    sed "s/^\( *\)name: c.name,/&\n\1$(cat "$tmp/env")/" "$recipes/kubernetes/mutating-admission-policy.yaml" >"$tmp/report.yaml"
    that 'mutating-admission-policy.yaml: with the line for report' "$("$tmp/venv/bin/python" - "$tmp/report.yaml" 2>&1 <<'PY'
import sys, celpy, yaml
policy = next(yaml.safe_load_all(open(sys.argv[1])))
expression = policy["spec"]["mutations"][0]["applyConfiguration"]["expression"]
celpy.Environment().compile(expression)
print(expression.count("CUARBITER_POLICY"))
PY
    )" 1
    sed 's/# env:/env:/' "$recipes/kubernetes/kyverno.yaml" >"$tmp/report.yaml"
    # What the model does not know is gone in what it writes.
    that 'kyverno.yaml: the schema of Kyverno 1.13.4' "$("$tmp/venv/bin/python" - "$recipes/kubernetes/kyverno.yaml" "$tmp/report.yaml" 2>&1 <<'PY'
import json, sys, yaml
from cloudcoil.models.kyverno.v1 import ClusterPolicy
policy = yaml.safe_load(open(sys.argv[1]))
def kept(policy):
    return json.loads(ClusterPolicy.model_validate(policy).model_dump_json(by_alias=True, exclude_unset=True)) == policy
report = yaml.safe_load(open(sys.argv[2]))
env = report["spec"]["rules"][0]["mutate"]["patchStrategicMerge"]["spec"]["containers"][0]["env"]
print(kept(policy), kept({**policy, "spec": {**policy["spec"], "backgrounds": True}}), kept(report), env[0]["value"])
PY
    )" 'True False True report'
else
    ok 'kubernetes: schemas and conditions # SKIP pip cannot install cel-python and the schemas here'
fi
for policy in kyverno mutating-admission-policy; do
    that "$policy.yaml: nothing of the node is mounted" "$(grep -c hostPath "$recipes/kubernetes/$policy.yaml")" 0
done
need_files
# What the unit executes, on a node of its own, in whatever order files and specifications come.
service=$(sed -n 's/^ExecStart=//p' "$recipes/cdi/cuarbiter-cdi.service")
mkdir -p "$tmp/cdi/etc/cdi" "$tmp/cdi/run/cdi" "$tmp/cdi/opt/cuarbiter"
cp /etc/passwd "$tmp/cdi/etc/"
cp "$files"/* "$tmp/cdi/opt/cuarbiter/"
unit() {
    unshare -m --propagation private sh -c 'for each in etc run opt; do mount --bind "$1/$each" "/$each"; done; $2' \
        sh "$tmp/cdi" "$service" >/dev/null && cat "$tmp"/cdi/*/cdi/* 2>/dev/null | grep -c '/opt/cuarbiter/cuarbiter'
}
if unshare -m true 2>/dev/null; then
    that 'cdi: the unit, no specification' "$(unit)" 0
    printf 'cdiVersion: 0.5.0\nkind: nvidia.com/gpu\ndevices: []\ncontainerEdits:\n  env:\n  - A=b\n' >"$tmp/cdi/run/cdi/nvidia.yaml"
    that "cdi: the unit, where the toolkit's service writes" "$(unit)" 1
    printf '{"cdiVersion":"0.5.0","kind":"nvidia.com/gpu","devices":[]}' >"$tmp/cdi/run/cdi/k8s.device-plugin.nvidia.com-gpu.json"
    that 'cdi: the unit, and the device plugin' "$(unit)" 2
else
    missing 'cdi: the unit' 'no mount namespace here'
fi
for file in $(sed -n 's/^ *"\/\(var\/\)\{0,1\}\(.*\)",$/\/\2/p' "$tree/probe/deploy/cdi/merge.c"); do
    that "cdi: the unit watches $file" "$(grep -c "^PathChanged=$file\$" "$recipes/cdi/cuarbiter-cdi.path")" 1
done
if command -v systemd-analyze >/dev/null; then
    mkdir "$tmp/units"
    for unit in "$recipes"/cdi/* "$recipes"/nri/* "$recipes"/collect/*; do
        sed "s,/opt/cuarbiter/cuarbiter,/bin/true," "$unit" >"$tmp/units/${unit##*/}"
    done
    that 'cdi, nri, collect: the units' "$(systemd-analyze verify "$tmp/units"/* 2>&1 | grep cuarbiter)" ''
else
    missing 'cdi: the units' 'no systemd-analyze'
fi
that 'the preload file names the shim' "$(cat "$recipes/ld.so.preload")" "$shim"

# What is a script is run, in a root that has the files where the recipe expects them.
box=$tmp/box
mkdir -p "$box/opt/cuarbiter"
: >"$box/opt/cuarbiter/libcuarbiter.so"
rooted() { sed "s,=/opt/cuarbiter,=$box/opt/cuarbiter," "$1"; }
rooted "$recipes/enroot/50-cuarbiter.sh" >"$tmp/hook"
shim_here=$box$shim
for row in 'A=b|none' 'LD_PRELOAD=/j.so|/j.so:' 'LD_PRELOAD=/i.so LD_PRELOAD=/j.so|/j.so:'; do
    printf '%s\n' ${row%|*} >"$tmp/environ"
    wanted=${row#*|}
    ENROOT_ENVIRON=$tmp/environ sh "$tmp/hook"
    that "enroot: ${row%|*}" "$(sed -n 's/^LD_PRELOAD=//p' "$tmp/environ" | tail -n 1)" "${wanted#none}$shim_here"
    ENROOT_ENVIRON=$tmp/environ sh "$tmp/hook"
    that "enroot: ${row%|*}: not twice" "$(tail -n 1 "$tmp/environ" | grep -o libcuarbiter | wc -l)" 1
done
: >"$tmp/environ"
ENROOT_ENVIRON=$tmp/environ sh "$recipes/enroot/50-cuarbiter.sh"
[ -e "$shim" ] || that 'enroot: without the files it adds nothing' "$(cat "$tmp/environ")" ''
rooted "$recipes/slurm/task-prolog.sh" >"$tmp/prolog"
that 'Slurm: bare' "$(env -u LD_PRELOAD sh "$tmp/prolog")" "export LD_PRELOAD=$shim_here"
LD_PRELOAD=$shim_here
that 'Slurm: not twice' "$(export LD_PRELOAD; sh "$tmp/prolog" 2>/dev/null)" ''
unset LD_PRELOAD
that 'Slurm: without the files it says nothing' "$([ -e "$shim" ] || sh "$recipes/slurm/task-prolog.sh")" ''
sed "s,/opt/cuarbiter,$box/opt/cuarbiter,g" "$recipes/apptainer/cuarbiter.sh" >"$tmp/apptainer"
apptainer() { (APPTAINER_BINDPATH=/data && for file; do . "$file"; done && env | grep ^APPTAINER | sort); }
wanted="APPTAINERENV_LD_PRELOAD=$shim_here
APPTAINER_BINDPATH=/data,$box/opt/cuarbiter:$box/opt/cuarbiter:ro"
that 'Apptainer' "$(apptainer "$tmp/apptainer")" "$wanted"
that 'Apptainer: not twice' "$(apptainer "$tmp/apptainer" "$tmp/apptainer")" "$wanted"
[ -e "$shim" ] || that 'Apptainer: without the files it sets nothing' "$(apptainer "$recipes/apptainer/cuarbiter.sh")" ''

# With podman: the pod with its init container, and the compose file.
need_podman
kernel_hook 535.261.03
echo "hooks_dir = [\"$tmp/kernel.d\"]" >>"$CONTAINERS_CONF"
need_drivers 535.261.03 555.58.02
need_cudart 11.2.152
need_root bullseye
need_tool catatonit
root=$tmp/root
copy_root bullseye "$root"
lay_out "$root" 555.58.02 535.261.03
# Both drivers are in the image here, the newer first; ldconfig has the newer in its cache.
mkdir "$root/app"
cp "$programs"/* "$cudarts/11.2.152/libcudart.so.11.2.152" "$root/app/"
image localhost/my-image "$root" 'CMD ["/app/init-cudart", "/app/libcudart.so.11.2.152"]' \
    'ENV LD_PRELOAD=/libstandin.so' 'ENV STANDIN_KMD=535.261.03' 'ENV STANDIN_ROOT=/geforce' \
    'ENV PATH=/usr/bin:/bin'
mini=$tmp/carrier
mkdir -p "$mini/opt"
cp -r "$files" "$mini/opt/cuarbiter"
copy_root bullseye "$mini/root" && mv "$mini/opt/cuarbiter" "$mini/root/opt/"
image localhost/cuarbiter-carrier "$mini/root" 'ENV PATH=/usr/bin:/bin'
that 'the image alone: 803' "$(word cudaGetDeviceCount \
    "$(pod run --rm -v "$root/dev/nvidiactl:/dev/nvidiactl" localhost/my-image)")" 803

# The node of the driver, which a device plugin would bring, and one container's own LD_PRELOAD.
# Without a network, which podman cannot make everywhere (no iptables, no rights).
play() { # RECIPE USER
    python3 - "$recipes/kubernetes/$1.yaml" "$root/dev/nvidiactl" "$2" >"$tmp/$1.yaml" <<'PY'
import sys, yaml
pod = yaml.safe_load(open(sys.argv[1]))
main = pod["spec"]["containers"][0]
pod["spec"]["volumes"].append({"name": "node", "hostPath": {"path": sys.argv[2], "type": "File"}})
main["volumeMounts"].append({"name": "node", "mountPath": "/dev/nvidiactl"})
main["securityContext"] = {"runAsUser": int(sys.argv[3])}
del main["resources"]
for variable in main.get("env", []):
    variable["value"] = "/libstandin.so:" + variable["value"]
print(yaml.safe_dump(pod))
PY
    pod kube play --network none "$tmp/$1.yaml" >/dev/null 2>&1
    pod wait gpu-main >/dev/null 2>&1
    pod logs gpu-main 2>&1
    pod kube down "$tmp/$1.yaml" >/dev/null 2>&1
}
for user in 0 1000; do
    that "pod-env.yaml: init container and variable, user $user" "$(word cudaGetDeviceCount "$(play pod-env $user)")" 100
done
case $(pod version --format '{{.Client.Version}}') in
[1-4].*) ok 'pod.yaml # SKIP this podman does not know subPath' ;;
*)
    for user in 0 1000; do
        that "pod.yaml: init container and ld.so.preload, user $user" "$(word cudaGetDeviceCount "$(play pod $user)")" 100
    done
    ;;
esac

# compose: what the file says, passed to podman; podman-compose is not in every distribution.
arguments=$(python3 - "$recipes/compose/compose.yaml" "$files" <<'PY'
import re, sys, yaml
text = open(sys.argv[1]).read()
text = re.sub(r"\$\{CUARBITER_FILES:-[^}]*\}", sys.argv[2], text)
text = re.sub(r"\$\{IMAGE:[^}]*\}", "localhost/my-image", text)
service = yaml.safe_load(text)["services"]["gpu"]
print(*[f"-v {v}" for v in service["volumes"]], service["image"])
PY
)
for user in 0 1000; do
    that "compose.yaml, user $user" "$(word cudaGetDeviceCount \
        "$(pod run --rm --user $user -v "$root/dev/nvidiactl:/dev/nvidiactl" $arguments)")" 100
done
finish
