#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/recipes/kubernetes: what Kustomize makes of the base and its overlays, and what the DaemonSet's script
# does on a node. The node is a copy of this machine's root, whose engines are scripts.
# shellcheck disable=SC1091,SC2015,SC2016,SC2034,SC2154
. "$(dirname "$0")/../fixtures/images.sh"
. "$(dirname "$0")/bundles.sh"
need_tool python3
python3 -c 'import yaml' 2>/dev/null || skip 'no yaml for python3'
recipes=$tree/docs/recipes/kubernetes

# What the overlays become.
if kubectl=$("$tree/tests/fixtures/kubectl"); then
    echo "# $("$kubectl" version --client | tr '\n' ' ')"
    for overlay in report canary on off; do
        "$kubectl" kustomize "$recipes/$overlay" >"$tmp/$overlay.yaml" 2>"$tmp/complaints"
        that "$overlay: rendered" "$? $(cat "$tmp/complaints")" '0 '
    done
    that 'overlays: each node has one mode, and its own DaemonSet' "$(python3 - "$tmp" <<'PY'
import sys, yaml
sets = {}
for mode in ("report", "on", "off"):
    docs = {d["kind"]: d for d in yaml.safe_load_all(open(f"{sys.argv[1]}/{mode}.yaml"))}
    assert docs.keys() == {"Namespace", "ConfigMap", "DaemonSet"}, docs.keys()
    assert docs["Namespace"]["metadata"] == {"name": "cuarbiter", "labels": {"pod-security.kubernetes.io/enforce": "privileged"}}
    sets[mode] = one = docs["DaemonSet"]
    assert one["metadata"] == {"name": "cuarbiter-" + mode, "namespace": "cuarbiter"}, one["metadata"]
    labels = one["spec"]["template"]["metadata"]["labels"]
    assert one["spec"]["selector"]["matchLabels"] == labels == {"app": "cuarbiter-" + mode}
    pod = one["spec"]["template"]["spec"]
    (node,) = pod["containers"]
    assert node["args"] == [mode] and pod["volumes"][1]["configMap"]["name"] == docs["ConfigMap"]["metadata"]["name"]
def runs(spec, labels):
    (term,) = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    (need,) = term["matchExpressions"]
    named = labels.get(need["key"]) in need["values"]
    return all(labels.get(k) == v for k, v in spec["nodeSelector"].items()) and named == (need["operator"] == "In")
for labels in ({}, {"cuarbiter": "on"}, {"cuarbiter": "off"}, {"cuarbiter": "else"}):
    for gpu in ({}, {"nvidia.com/gpu.present": "true"}):
        print(*[m for m, s in sets.items() if runs(s["spec"]["template"]["spec"], labels | gpu)] or "-", end=" ")
print()
PY
    )" '- report - on - off - report '
    that 'the canary: report, and one pod in which cuarbiter acts' "$(python3 - "$tmp" <<'PY'
import sys, yaml
canary, report = (list(yaml.safe_load_all(open(f"{sys.argv[1]}/{m}.yaml"))) for m in ("canary", "report"))
(pod,) = [d for d in canary if d["kind"] == "Pod"]
print([d for d in canary if d is not pod] == report, pod["spec"]["containers"][0]["env"])
PY
    )" "True [{'name': 'CUARBITER_POLICY', 'value': 'auto'}]"
    if python3 -m venv "$tmp/venv" 2>/dev/null && "$tmp/venv/bin/pip" -q install kubernetes-validate >/dev/null 2>&1; then
        fits() {
            "$tmp/venv/bin/kubernetes-validate" --strict -k 1.37 "$1" 2>&1 | grep -c 'passed for resource .* version 1.37'
        }
        for row in report:3 canary:4 on:3 off:3; do
            sed 's/^  selector:/  selectors:/' "$tmp/${row%:*}.yaml" >"$tmp/bad.yaml"
            that "${row%:*}: the schema of Kubernetes 1.37" "$(fits "$tmp/${row%:*}.yaml") $(fits "$tmp/bad.yaml")" "${row#*:} $((${row#*:} - 1))"
        done
    else
        missing 'overlays: the schema of Kubernetes 1.37' 'pip cannot install kubernetes-validate here'
    fi
else
    missing 'overlays: rendered' 'no kubectl with Kustomize 4, and none can be fetched'
fi
that 'the DaemonSet has no token and no more than it needs' "$(python3 - "$recipes/base/daemonset.yaml" <<'PY'
import sys, yaml
spec = yaml.safe_load(open(sys.argv[1]))["spec"]
pod = spec["template"]["spec"]
(node,) = pod["containers"]
print(pod["automountServiceAccountToken"], pod["priorityClassName"], pod["tolerations"],
      spec["updateStrategy"]["rollingUpdate"], node["resources"]["requests"].keys() == node["resources"]["limits"].keys())
print(*[k for k in pod if k.startswith("host")], *[v["hostPath"]["path"] for v in pod["volumes"] if "hostPath" in v])
PY
)" "False system-node-critical [{'operator': 'Exists'}] {'maxUnavailable': '10%'} True
hostPID /"

# What its container does.
need_runtimes
need_files
need_tool busybox runc
strip --strip-unneeded "$files/cuarbiter" "$files/cuarbiter-answer" "$files/libcuarbiter.so"
mkdir -p "$tmp/over" "$tmp/host"
root=/srv/root
bundle b "$gpu" '.process.args = ["/busybox", "sh", "-c", "cat /etc/ld.so.preload 2>/dev/null; echo started"]'
cat >"$tmp/node" <<'END'
tmp=$1 files=$2 script=$3 host=$1/host
mount -t tmpfs none "$tmp/over" && mkdir "$tmp/over/u" "$tmp/over/w" &&
    mount -t overlay none "$host" -o "lowerdir=/,upperdir=$tmp/over/u,workdir=$tmp/over/w" || exit 77
for folder in proc sys dev; do mount --rbind "/$folder" "$host/$folder"; done
for folder in run tmp srv opt; do mount -t tmpfs none "$host/$folder"; done
cd "$host" || exit
for engine in podman crio containerd docker dockerd; do rm -f "usr/bin/$engine" "usr/local/bin/$engine" "usr/sbin/$engine"; done
rm -rf etc/containerd etc/docker etc/cdi etc/crio etc/cuarbiter etc/containers/containers.conf usr/share/containers/oci etc/containers/oci
printf '#!/bin/sh\necho podman version 4.3.1\n' >usr/bin/podman
cat >usr/bin/containerd <<'STUB'
#!/bin/sh
case "$*" in
--version) echo containerd github.com/containerd/containerd v1.7.24 1 ;;
'config dump') cat /etc/containerd/config.toml ;;
*) exit 1 ;;
esac
STUB
chmod 755 usr/bin/podman usr/bin/containerd
features=etc/kubernetes/node-feature-discovery/features.d
mkdir -p etc/containerd etc/cdi "$features"
cat >etc/containerd/config.toml <<'TOML'
version = 2
[plugins."io.containerd.grpc.v1.cri"]
  enable_cdi = true
TOML
plugin=etc/cdi/nvidia.yaml
write_spec() { # as the device plugin does
    printf 'cdiVersion: 0.5.0\nkind: nvidia.com/gpu\ndevices:\n- name: "0"\n  containerEdits:\n    env:\n    - A=b\n' >"$plugin.new"
    mv "$plugin.new" "$plugin"
}
write_spec
printf '{"kind": "nvidia.com/gpu", "cdiVersion": "0.5.0", "devices": []}' >"run/k8s"
mkdir -p run/cdi && mv run/k8s run/cdi/k8s.device-plugin.nvidia.com-gpu.json

mkdir -p srv/root/etc srv/root/proc srv/root/sys srv/root/dev srv/root/lib64 "srv/root/lib/$(uname -m)-linux-gnu" srv/b
cp "$(command -v busybox)" srv/root/busybox
cp -L "/lib/$(uname -m)-linux-gnu/libc.so.6" "srv/root/lib/$(uname -m)-linux-gnu/"
case $(uname -m) in
aarch64) cp -L /lib/ld-linux-aarch64.so.1 srv/root/lib/ ;;
*) cp -L /lib64/ld-linux-x86-64.so.2 srv/root/lib64/ ;;
esac
# What a container of this node gets: by the hook that its specification names, as an engine adds it.
container() {
    rm -rf srv/root/opt srv/root/etc/*
    python3 - "$tmp/b/config.json" "$plugin" >srv/b/config.json <<'PY'
import json, sys, yaml
config = json.load(open(sys.argv[1]))
for hook in yaml.safe_load(open(sys.argv[2])).get("containerEdits", {}).get("hooks", []):
    config.setdefault("hooks", {}).setdefault(hook.pop("hookName"), []).append(hook)
print(json.dumps(config))
PY
    chroot "$host" sh -c 'cd /srv/b && exec runc run "k-$(date +%N)"' </dev/null 2>&1 | tr '\n' ' '
}
begin() { # MODE
    rm -f "$tmp/ready$1"
    env CUARBITER_NODE_ROOT="$host" CUARBITER_NODE_FILES="$files" CUARBITER_NODE_READY="$tmp/ready$1" CUARBITER_NODE_PAUSE=1 \
        setsid ${shell:-busybox sh} "$script" "$1" >"$tmp/log$1" 2>&1 &
    pod=$!
    ln -sf "log$1" "$tmp/log"
    ready=$tmp/ready$1
}
ready() {
    for _ in $(seq 300); do [ -e "$ready" ] && return; sleep 0.1; done
    echo "not ready: $(cat "$tmp/log")"
}
end() { # as the kubelet ends a pod
    kill -TERM "$pod"
    wait "$pod" 2>/dev/null
}
waits() { # COMMAND: until it is true, ten seconds at most
    for _ in $(seq 100); do eval "$1" && echo yes && return; sleep 0.1; done
    echo no
}
hold() { # MODE TOOL WHEN WORDS: begins it, and holds it before or after its call of this tool with these words
    rm -f "$tmp/held" "$tmp/go" "$tmp"/ready*
    mount -t tmpfs none /usr/local/sbin
    cat >"/usr/local/sbin/$2" <<TOOL
#!/bin/sh
hold() {
    case "$3 \$*" in "\$now "*$4*) : >"$tmp/held"; until [ -e "$tmp/go" ]; do sleep 0.05; done ;; esac
}
now=before; hold "\$@"
/bin/$2 "\$@"
code=\$? now=after; hold "\$@"
exit \$code
TOOL
    chmod 755 "/usr/local/sbin/$2"
    shell=sh # which looks for its tools there; busybox need not
    begin "$1"
    waits '[ -e "$tmp/held" ]'
    rm "/usr/local/sbin/$2"
}
go_on() { # MODE
    : >"$tmp/go"
    waits "[ -e \"$tmp/ready$1\" ]"
}
hooked='grep -q "\"cuarbiter\"" "$plugin"'
switch() { grep -v '^#' etc/cuarbiter/site/cuarbiter.conf | tr '\n' ' '; }
eval "$4"
END
on_node() { # SCENARIO: on a node of its own
    unshare -mnp --fork --kill-child --mount-proc --propagation private \
        sh "$tmp/node" "$tmp" "$files" "$recipes/base/node.sh" "$1" >"$tmp/said"
    code=$?
    sed 's/ *$//' "$tmp/said"
    return $code
}
on_node true || cannot 'no overlay file system here'
that 'report: what a node is then' "$(on_node 'begin report; ready
    echo "switch: $(switch)"; container; echo; cat "$features/cuarbiter"; grep -c "ended with 0: reached: true" "$tmp/log"')" \
    'switch: CUARBITER_POLICY=report CUARBITER_LOG=error CUARBITER_LOG_FORMAT=json
/opt/cuarbiter/libcuarbiter.so started
cuarbiter.mode=report
cuarbiter.reached=true
cuarbiter.policy=report
1'
that 'on: after report, with what an administrator wrote' "$(on_node 'begin report; ready; end
    echo lock=CUARBITER_POLICY >>etc/cuarbiter/site/cuarbiter.conf
    begin on; ready; echo "switch: $(switch)"; end; begin on; ready; echo "twice: $(switch)"; ls -A opt | wc -l')" \
    'switch: lock=CUARBITER_POLICY
twice: lock=CUARBITER_POLICY
2'
that 'report: a switch that cannot be written: nothing is switched on' "$(on_node 'mkdir -p etc/cuarbiter/site
    mount -t tmpfs -o ro none etc/cuarbiter/site; begin report; ready; grep -c "switch cannot be written" "$tmp/log"; write_spec; sleep 2; container')" '1
started'
that 'report: a full disk: nothing is switched on' "$(on_node 'mkdir -p etc/cuarbiter/site
    mount -t tmpfs -o size=4k none etc/cuarbiter/site; head -c 4096 /dev/zero >etc/cuarbiter/site/else
    begin report; ready; grep -c "switch cannot be written" "$tmp/log"; [ -e etc/cuarbiter/site/cuarbiter.conf ] || container')" '1
started'
that "on: a switch that was there, and says disabled, stays, and the log says so" "$(on_node 'mkdir -p etc/cuarbiter/site
    echo disabled >etc/cuarbiter/site/cuarbiter.conf; begin on; ready; switch; echo; grep -c "kept, a line of yours in .*: disabled$" "$tmp/log"
    grep policy "$features/cuarbiter"')" 'disabled
1
cuarbiter.policy=disabled'
that 'on: the files are deleted: placed again, the log says which' "$(on_node 'CUARBITER_NODE_PAUSE=1; export CUARBITER_NODE_PAUSE; begin on; ready
    grep -c "placed: cuarbiter [0-9].*, build [0-9a-f]*; before: none" "$tmp/log"; rm -r opt/cuarbiter opt/.cuarbiter-*
    waits "[ \"\$(grep -c placed: \"$tmp/log\")\" = 2 ]"; container')" '1
yes
/opt/cuarbiter/libcuarbiter.so started'
that 'on: a specification that is written anew; the end of the pod' "$(on_node 'begin on; ready; write_spec; waits "$hooked"; end
    eval "$hooked" && echo stays; container; [ -e usr/share/containers/oci/hooks.d/cuarbiter.json ] && echo hooks.d stays')" \
    'yes
stays
/opt/cuarbiter/libcuarbiter.so started hooks.d stays'
that 'report and on: what containers get is collected' "$(on_node 'for mode in report on; do begin $mode; ready
    waits "[ -S run/cuarbiter/reports/socket ]"; container; echo; grep -c "\"hook\":\"added\"" var/log/cuarbiter/containers.jsonl; end; done; ls var/log/cuarbiter')" \
    'yes
/opt/cuarbiter/libcuarbiter.so started
1
yes
/opt/cuarbiter/libcuarbiter.so started
2
containers.jsonl'
that 'on: a node that is not reached: ready, a label, a line' "$(on_node 'sed -i s/true/false/ etc/containerd/config.toml
    begin on; ready; cat "$features/cuarbiter"; grep -c "ended with 1: reached: false" "$tmp/log"; grep -c "enable_cdi = true in its configuration, and restart it" "$tmp/log"')" \
    'cuarbiter.mode=on
cuarbiter.reached=false
cuarbiter.policy=auto
1
1'
that 'on: a node whose /opt cannot be written: ready, a line' "$(on_node 'mount -o remount,ro opt; begin on; ready
    grep -c "files cannot be placed" "$tmp/log"; container')" '1
started'
that 'on: a full disk: nothing is placed, a line' "$(on_node 'mount -t tmpfs -o size=1m none opt; begin on; ready
    grep -c "files cannot be placed" "$tmp/log"; ls -A opt; container')" '1
started'
that 'on: an image of something else: not ready, and nothing is changed' "$(on_node 'begin on; ready; end; before=$(readlink opt/cuarbiter)
    files=$tmp/nothing; mkdir -p "$files"; begin on; wait "$pod"; echo $?; cat "$tmp/log"; [ -e "$tmp/ready" ] || echo not ready
    [ "$(readlink opt/cuarbiter)" = "$before" ] && container' | sed "s,in /.*:,in FOLDER:,")" '1
cuarbiter on: this image has no cuarbiter in FOLDER: nothing was changed
not ready
/opt/cuarbiter/libcuarbiter.so started'
that 'off: the files stay for what names a build by its own path' "$(on_node 'begin on; ready; end
    chroot . /opt/cuarbiter/cuarbiter cdi | grep -c "/opt/cuarbiter/cuarbiter"
    sed "s,/opt/cuarbiter/,/opt/$(readlink opt/cuarbiter)/,g" "$plugin" >etc/cdi/old.yaml
    begin off; ready; sed -n "s/.*\(the files stay.*\)/\1/p" "$tmp/log" | head -n 1; rm etc/cdi/old.yaml; waits "[ ! -e opt/cuarbiter ]"')" \
    '1
the files stay as long as these have them: /etc/cdi/old.yaml
yes'
that 'off: nothing is left' "$(on_node 'find etc usr/share/containers opt run >"$tmp/before" 2>/dev/null; begin on; ready; end
    begin off; ready; waits "grep -q nothing.of.cuarbiter.is.left \"$tmp/log\""
    find etc usr/share/containers opt run 2>/dev/null | diff "$tmp/before" - | grep "^[<>]" | grep -v oci; eval "$hooked" || echo no hook; container')" \
    'yes
no hook
started'
that "off: an administrator's lines stay, with disabled" "$(on_node 'begin on; ready; end; echo lock=CUARBITER_POLICY >>etc/cuarbiter/site/cuarbiter.conf
    begin off; ready; waits "grep -q nothing.of.cuarbiter.is.left \"$tmp/log\""; switch; ls -A opt; echo; end; begin off; ready; waits "[ -s \"$tmp/log\" ]"
    sleep 1; cat "$tmp/log"')" 'yes
disabled lock=CUARBITER_POLICY
yes
cuarbiter off: nothing of cuarbiter is left on this node but /var/log/cuarbiter and /etc/cuarbiter/site/cuarbiter.conf, with lines of yours and disabled'
that 'off: nor what was left where they were killed' "$(on_node 'begin on; ready; end
    cp "$plugin" "$plugin.cuarbiter-new.7"; cp usr/share/containers/oci/hooks.d/cuarbiter.json etc/containers/oci/hooks.d/cuarbiter.json.cuarbiter-new
    : >etc/cuarbiter/site/cuarbiter.conf.new; mkdir tmp/cuarbiter-node-123456 opt/.cuarbiter-new
    begin off; ready; for turn in 1 2 3; do waits "grep -q nothing.of.cuarbiter.is.left \"$tmp/log\"" >"$tmp/waited"; done; cat "$tmp/waited"
    find etc opt tmp run usr/share/containers -name "*cuarbiter*"')" yes
that 'off: the files stay while a base specification names them' "$(on_node 'begin on; ready; end
    echo /opt/cuarbiter/cuarbiter >etc/containerd/base.json; echo "base_runtime_spec = \"/etc/containerd/base.json\"" >>etc/containerd/config.toml
    begin off; ready; sed -n "s/.*\(the files stay.*\)/\1/p" "$tmp/log"; [ -e opt/cuarbiter/cuarbiter ] && echo there; switch
    sed -i /base/d etc/containerd/config.toml; waits "[ ! -e opt/cuarbiter ]"')" \
    'the files stay as long as these have them: /etc/containerd/base.json
there
disabled yes'
that 'off: the files stay while a container has them mounted' "$(on_node 'begin on; ready; end
    mkdir srv/m; unshare -m sh -c "mount --bind opt/cuarbiter/. srv/m; echo >srv/up; exec sleep 60" & user=$!; waits "[ -e srv/up ]" >/dev/null
    begin off; ready; grep -c "the files stay .*process" "$tmp/log"; kill $user; waits "[ ! -e opt/cuarbiter ]"')" '1
yes'
that 'off: the files stay while a link starts them as a plugin of NRI' "$(on_node 'begin on; ready; end
    mkdir -p opt/nri/plugins; ln -s /opt/cuarbiter/cuarbiter opt/nri/plugins/10-cuarbiter
    begin off; ready; sed -n "s/.*\(the files stay.*\)/\1/p" "$tmp/log"; rm opt/nri/plugins/10-cuarbiter; waits "[ ! -e opt/cuarbiter ]"')" \
    'the files stay as long as these have them: /opt/nri/plugins/10-cuarbiter
yes'
that 'off: the files stay while a service of systemd is them' "$(on_node 'begin on; ready; end
    units=etc/systemd/system; mkdir -p $units/multi-user.target.wants; cp "${script%/kubernetes/*}/nri/cuarbiter-nri.service" $units/
    ln -s /$units/cuarbiter-nri.service $units/multi-user.target.wants/cuarbiter-nri.service
    begin off; ready; sed -n "s/.*\(the files stay.*\)/\1/p" "$tmp/log"; rm $units/multi-user.target.wants/cuarbiter-nri.service
    waits "[ ! -e opt/cuarbiter ]"')" \
    'the files stay as long as these have them: /etc/systemd/system/multi-user.target.wants/cuarbiter-nri.service
yes'
that 'on: a build that is not whole is placed anew' "$(on_node 'begin on; ready; end; : >opt/cuarbiter/libcuarbiter.so
    begin on; ready; cmp opt/cuarbiter/libcuarbiter.so "$files/libcuarbiter.so" && container')" '/opt/cuarbiter/libcuarbiter.so started'
that 'an upgrade: a folder of its own; what runs keeps its own' "$(on_node 'begin report; ready; end
    old=$(readlink opt/cuarbiter); cp -r "$files" "$tmp/newer"; echo "# newer" >>"$tmp/newer/ld.so.preload"; files=$tmp/newer
    begin report; ready; end; ! cmp -s "opt/$old/ld.so.preload" opt/cuarbiter/ld.so.preload && tail -n 1 opt/cuarbiter/ld.so.preload
    begin report; ready; ls -A opt | wc -l; stat -c %a etc/cuarbiter/site etc/cuarbiter/site/cuarbiter.conf | tr "\n" " "; container')" \
    '# newer
3
755 644 /opt/cuarbiter/libcuarbiter.so started'
that 'a folder that was there: moved aside, and put back' "$(on_node 'mkdir opt/cuarbiter; echo theirs >opt/cuarbiter/x
    begin on; ready; end; container; begin off; ready; cat opt/cuarbiter/x; ls -A opt')" '/opt/cuarbiter/libcuarbiter.so started theirs
cuarbiter'
that 'a link that was there, too' "$(on_node 'ln -s /srv/theirs opt/cuarbiter; begin on; ready; end; container
    begin off; ready; waits "grep -q nothing.of \"$tmp/log\""; readlink opt/cuarbiter; ls -A opt')" '/opt/cuarbiter/libcuarbiter.so started yes
/srv/theirs
cuarbiter'
# Two pods at once: that of one mode ends here while that of another begins.
that 'two place the same build: it stays the same' "$(on_node 'touch -d "1 hour ago" "$files"; hold report cp after -new; begin on; ready
    before=$(stat -L -c %i opt/cuarbiter); go_on report; [ "$(stat -L -c %i opt/cuarbiter)" = "$before" ] && echo same
    grep placed "$tmp/logreport" | sed "s/placed: .*/placed/"; ls -A opt | grep -c new')" 'yes
yes
same
cuarbiter report: placed
0'
that 'two write the switch: the later counts, whole' "$(on_node 'mkdir -p etc/cuarbiter/site; echo lock=CUARBITER_POLICY >etc/cuarbiter/site/cuarbiter.conf
    hold report mv before site/cuarbiter.conf; begin on; ready; switch; echo; go_on report; switch; echo; grep "switch cannot" "$tmp/logreport"
    ls etc/cuarbiter/site')" 'yes
lock=CUARBITER_POLICY
yes
CUARBITER_POLICY=report CUARBITER_LOG=error CUARBITER_LOG_FORMAT=json lock=CUARBITER_POLICY
cuarbiter.conf'
that 'off: what the pod of another mode leaves after it' "$(on_node 'begin off; ready; mkdir opt/.cuarbiter-new.9
    waits "[ ! -e opt/.cuarbiter-new.9 ]" >"$tmp/waited"; waits "[ ! -e opt/.cuarbiter-new.9 ]"')" yes
that 'off beside on: nothing is left' "$(on_node 'for t in 0.2 0.8; do begin on; other=$pod; begin off; sleep $t; kill -TERM "$other"; wait "$other"
    left="find etc opt tmp run usr/share/containers -name *cuarbiter*"
    waits "[ -z \"\$($left)\" ]" >"$tmp/waited"; waits "[ -z \"\$($left)\" ]"; $left; eval "$hooked" && echo hooked; end; done')" 'yes
yes'
# Killed wherever it is, on the way in and out: containers start, and the next one ends what it began.
that 'killed anywhere' "$(on_node 'for mode in on off on off; do for t in 0.02 0.08 0.15 0.25 0.4 0.7; do
        [ $t != 0.02 ] || write_spec
        begin $mode; sleep $t; kill -KILL "-$pod" 2>/dev/null || kill -KILL "$pod"; wait "$pod" 2>/dev/null; container | grep -o started; done
        begin $mode; ready; container | wc -w; end; done' | sort | uniq -c | tr -s ' ')" ' 2 1
 2 2
 24 started'

# The container itself, started by podman, on a node with this machine's own containerd.
need_podman
carrier=$tmp/carrier
mkdir -p "$carrier/bin" "$carrier/opt" "$carrier/tmp"
cp "$(command -v busybox)" "$carrier/bin/busybox"
for applet in $("$carrier/bin/busybox" --list); do [ "$applet" = busybox ] || ln -s busybox "$carrier/bin/$applet"; done
cp -r "$files" "$carrier/opt/cuarbiter"
image localhost/cuarbiter-carrier "$carrier" 'ENV PATH=/bin'
# Passed to the scenario's shell, which has neither functions nor variables of this one.
podman="command podman --root $tmp/pod/graph --runroot $tmp/pod/run --tmpdir $tmp/pod/tmp --storage-driver $storage"
engine=$(command -v containerd) && cp "$engine" "$tmp/containerd" || missing 'in its container: containerd' 'no containerd here'
on_node 'cp "$tmp/containerd" usr/bin/containerd 2>/dev/null; rm etc/containerd/config.toml
    podman() { '"$podman"' "$@"; }
    podman run --name node --privileged -v "$host:/host:rslave" -v "${script%/*}:/script:ro" localhost/cuarbiter-carrier \
        sh /script/node.sh on >"$tmp/log" 2>&1 &
    waits "grep -q check.ended.with \"$tmp/log\""; podman exec node test -e /tmp/ready && echo ready; write_spec; waits "$hooked"
    podman stop -t 5 node >/dev/null 2>&1; podman inspect --format "ended with {{.State.ExitCode}}" node; podman rm -f node >/dev/null 2>&1
    container' >"$tmp/out" 2>&1
that 'in its container: it has all that the script calls' "$(grep "not found" "$tmp/log")" ''
that 'in its container' "$(cat "$tmp/out")" 'yes
ready
yes
ended with 0
/opt/cuarbiter/libcuarbiter.so started'
[ -z "$engine" ] || like "$(cat "$tmp/log")" "*cuarbiter on: containerd $("$engine" --version | sed 's/^[^ ]* [^ ]* v*\([0-9]*[.][0-9]*\).*/\1/'): *reached, because*" \
    'in its container: what it says of containerd'
finish
