#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter node: what it says of a node, what engines read of it, and the forms that it prints.
# shellcheck disable=SC1091,SC2016,SC2086,SC2154
# shellcheck source=tests/packaging/hook-lib.sh
. "$(dirname "$0")/hook-lib.sh"
cp "$(command -v busybox)" "$root/busybox"

# A timeout that takes whole seconds alone, or another command line.
timeout=$(command -v timeout)
cp "$timeout" "$tmp/timeout" && printf '#!/bin/sh\ncase $3 in *.*) echo "invalid number" >&2; exit 1; esac\nexec %s "$@"\n' "$tmp/timeout" >"$tmp/whole"
printf '#!/bin/sh\n[ "$1" = -t ] || exit 127\nshift\nexec %s "$@"\n' "$tmp/timeout" >"$tmp/other" && chmod +x "$tmp/whole" "$tmp/other"
with() { # TIMEOUT COMMAND...
    how=$1
    shift
    unshare -m --propagation private sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "$tmp/$how" "$(readlink -f "$timeout")" "$@" 2>&1
}
like "$(with whole "$files/cuarbiter" node check)" 'the hook works on this node*' 'a timeout that takes whole seconds alone'
fresh
"$files/cuarbiter" node print-oci | jq -r '.hooks.createContainer[0].args[2]' >"$tmp/script"
that 'a timeout that takes whole seconds alone: all of the state is read' \
    "$( (head -c 300000 /dev/zero; echo $? >"$tmp/written") | with whole sh "$tmp/script" /nowhere; cat "$tmp/written")" 0
like "$(with other "$files/cuarbiter" node check)" '*"timeout -s KILL 1 true" fails on this host*' 'a timeout with another command line: refused'
like "$(with other "$files/cuarbiter" cdi)" '*"timeout -s KILL 1 true" fails on this host*' 'a timeout with another command line: refused for CDI'
# What the kernel refuses, and what it does not have.
if tracing 'node check: a kernel that refuses'; then
    like "$(strace -qqf -o "$tmp/trace" -e trace=mount_setattr -e inject=mount_setattr:error=EPERM "$files/cuarbiter" node check 2>&1)" \
        'cuarbiter: node: a mount for the check was refused: Operation not permitted' 'node check: a kernel that refuses a mount'
    like "$(strace -qqf -o "$tmp/trace" -e trace=mount_setattr -e inject=mount_setattr:error=ENOSYS "$files/cuarbiter" node check 2>&1)" \
        'cuarbiter: node: this kernel is too old: *' 'node check: a kernel without mount_setattr'
    like "$(strace -qqf -o "$tmp/trace" -e trace=openat2 -e inject=openat2:error=ENOSYS "$files/cuarbiter" node check 2>&1)" \
        'cuarbiter: node: the hook does not work here: this kernel is too old: the hook needs Linux 5.12 or later*' 'node check: a kernel without openat2'
fi
like "$(sleep 3 | "$files/cuarbiter" hook --log "$tmp/slow"; cat "$tmp/slow")" 'container: the hook took longer than 0.9 seconds *' 'a state that does not end: why'

# The node's command.
that 'node check' "$("$files/cuarbiter" node check | head -n 1)" \
    'the hook works on this node'
cp -r "$files" "$tmp/half" && rm "$tmp/half/cuarbiter-answer"
like "$("$tmp/half/cuarbiter" node check 2>&1)" 'cuarbiter: hook: *cuarbiter-answer: No such file*' \
    'node check: a file is missing'
that 'a package manager replaces the files meanwhile' "$(python3 - "$files" <<'PY'
import os, subprocess, sys, threading, time
files = sys.argv[1]
shim, on = files + "/libcuarbiter.so", True
data = open(shim, "rb").read()
def replace():
    while on:
        with open(shim + ".new", "wb") as out:
            out.write(data)
        os.chmod(shim + ".new", 0o755)
        os.rename(shim + ".new", shim)
        time.sleep(0.001)
thread = threading.Thread(target=replace)
thread.start()
checks = [subprocess.run([files + "/cuarbiter", "node", "check"], capture_output=True, text=True) for _ in range(40)]
on = False
thread.join()
print({check.stderr for check in checks if check.stderr})
PY
)" 'set()'
in_etc() { # with an /etc and a /usr/share for the test alone
    unshare -m --propagation private sh -c 'mkdir -p "$1" "$1-share" && mount --bind "$1-share" /usr/share && cp -a /etc/passwd /etc/group /etc/ld.so.cache "$1" &&
        mount --bind "$1" /etc && shift && exec "$@"' sh "$tmp/etc" "$@"
}
that 'node on' "$(in_etc "$files/cuarbiter" node on | head -n 1)" 'on: /etc/containers/oci/hooks.d/cuarbiter.json, /usr/share/containers/oci/hooks.d/cuarbiter.json'
that 'node on: what print prints' "$(cat "$tmp/etc/containers/oci/hooks.d"/*)" "$("$files/cuarbiter" node print)"
that 'node on: in both places' "$(cmp "$tmp/etc/containers/oci/hooks.d/cuarbiter.json" "$tmp/etc-share/containers/oci/hooks.d/cuarbiter.json" 2>&1)" ''
like "$(cat "$tmp/etc/cuarbiter/site/cuarbiter.conf")" '#*disabled*' 'node on: the switch'
switch=$tmp/etc/cuarbiter/site/cuarbiter.conf
like "$(in_etc "$files/cuarbiter" node check)" '*hooks.d, for podman and CRI-O: the hook is there
the node?s policy is: auto
*' 'node check: on, and the switch'
says_switch() { # TEXT WANTED NAME
    echo "$1" >"$switch"
    like "$(in_etc "$files/cuarbiter" node check 2>&1)" "*$2*" "node check: $3"
}
says_switch CUARBITER_POLICY=report 'the node?s policy is: report' 'a dry run'
says_switch disabled 'the node?s policy is: disabled' disabled
says_switch CUARBITER_POLICY=raport 'cuarbiter: node: /etc/cuarbiter/site/cuarbiter.conf: CUARBITER_POLICY=raport is not one of *: cuarbiter is off in containers that set no policy of their own, until*' 'a policy that is none'
says_switch CUARBITER_POLCY=report '*line 1 is not understood*: cuarbiter is off in containers without a site file of their own, until*' 'a slip of the pen'
like "$(in_etc "$files/cuarbiter" node on 2>&1; echo $?)" '*line 1 is not understood*1' 'node on: refuses it'
like "$(in_etc "$files/cuarbiter" node check --json 2>/dev/null)" '*"hook": "works"*' 'node check --json: the hook works beside a wrong switch'
chmod 600 "$switch"
says_switch disabled '*users other than root cannot read it: cuarbiter is off for them in containers, until*' 'one that root alone can read'
chmod 644 "$switch"
echo disabled >"$switch"
that 'node on: twice is once, and the switch stays' "$(in_etc "$files/cuarbiter" node on >/dev/null; cat "$tmp/etc/cuarbiter/site/cuarbiter.conf")" disabled
like "$(in_etc "$tmp/half/cuarbiter" node on 2>&1; ls "$tmp/etc/containers/oci/hooks.d")" '*cuarbiter-answer: No such file*cuarbiter.json' 'node on: refused where it does not work'
like "$(in_etc "$files/cuarbiter" node off)" 'off*' 'node off'
that 'node off: all of it' "$(find "$tmp/etc/containers" "$tmp/etc-share/containers" -name "*.json"; in_etc "$files/cuarbiter" node off)" 'hooks.d has no cuarbiter.json: there was nothing to remove'
# Where on is before it has put the first of its two files in place, the second, and where it makes the second.
for row in 'first|rename|1|' 'second|rename|2|-share' 'between|unlink|2|'; do
    IFS='|' read -r name call nth share <<END
$row
END
    tracing "node off beside node on, $name" || continue
    in_etc strace -qq -o "$tmp/trace" -e "trace=$call" -e "inject=$call:delay_enter=1500000:when=$nth" "$files/cuarbiter" node on >"$tmp/on" 2>&1 &
    on=$!
    new=$tmp/etc$share/containers/oci/hooks.d/cuarbiter.json
    for _ in $(seq 100); do [ ! -e "$new" ] && [ ! -e "$new.cuarbiter-new" ] || break; sleep 0.05; done
    in_etc "$files/cuarbiter" node off >/dev/null
    wait $on
    like "$?:$(cat "$tmp/on"; find "$tmp/etc/containers" "$tmp/etc-share/containers" -name 'cuarbiter*')" \
        '1:cuarbiter: node: *cuarbiter.json: No such file or directory' "node off beside node on, $name: on fails, nothing is left"
done
echo '{}' >"$tmp/etc/containers/oci/hooks.d/cuarbiter.json"
like "$(in_etc "$files/cuarbiter" node off 2>&1)" "*another program's file is in the way*" "node off: another's file stays"
like "$(in_etc "$files/cuarbiter" node on 2>&1)" "*another program's file is in the way*" "node on: another's file"
that "node on: another's file stays" "$(cat "$tmp/etc/containers/oci/hooks.d/cuarbiter.json")" '{}'
rm "$tmp/etc/containers/oci/hooks.d/cuarbiter.json" && mkdir "$tmp/etc/containers/oci/hooks.d/cuarbiter.json"
like "$(in_etc "$files/cuarbiter" node off 2>&1)" 'cuarbiter: node: /etc/*/cuarbiter.json: Is a directory' 'node off: one that cannot be read'
rmdir "$tmp/etc/containers/oci/hooks.d/cuarbiter.json"
: >"$tmp/etc/containers/oci/hooks.d/cuarbiter.json"
like "$(in_etc "$files/cuarbiter" node check)" '*hooks.d, for podman and CRI-O: the hook is not there*' 'node check: an empty file'
like "$(in_etc "$files/cuarbiter" node off 2>&1)" 'off for podman and CRI-O: *' 'node off: an empty file'
that 'node off: an empty file goes' "$(ls "$tmp/etc/containers/oci/hooks.d")" ''
: >"$tmp/etc/containers/oci/hooks.d/cuarbiter.json"
like "$(in_etc "$files/cuarbiter" node on 2>&1)" 'on: *' 'node on: an empty file'
in_etc "$files/cuarbiter" node off >/dev/null
like "$(in_etc sh -c 'mount --bind /usr/share /usr/share && mount -o remount,bind,ro /usr/share && exec "$@"' sh "$files/cuarbiter" node on 2>&1)" \
    'on: /etc/containers/oci/hooks.d/cuarbiter.json?/usr is read-only: add this folder to hooks_dir in containers.conf *then add cuarbiter*' 'node on: /usr is read-only'
is "$(in_etc "$files/cuarbiter" node check | grep -c ' it is on$')" 0 'node check: /usr is read-only: no engine reads it yet'
like "$(in_etc "$files/cuarbiter" node off)" 'off for podman and CRI-O: *' 'node off: one of two places'
# Where nothing reads specifications, merging ends with another status than 0: a node without podman, with
# the containerd of Debian 12, which knows no CDI.
bare_node() { # COMMAND...
    unshare -m --propagation private sh -c 'mkdir "$1" && mount -t tmpfs none "$1" && mkdir "$1/up" "$1/work" "$1/etc" "$1/etc/cdi" "$1/run" &&
        mount -t overlay -o "lowerdir=/usr/bin,upperdir=$1/up,workdir=$1/work" none /usr/bin && rm -f /usr/bin/podman /usr/bin/crio /usr/bin/dockerd &&
        cp -a /etc/passwd /etc/group /etc/ld.so.cache "$1/etc" &&
        printf "cdiVersion: 0.5.0\\nkind: nvidia.com/gpu\\ndevices: []\\ncontainerEdits:\\n  env:\\n  - A=b\\n" >"$1/etc/cdi/nvidia.yaml" &&
        mount --bind "$1/run" /run && mount --bind "$1/etc" /etc && shift && exec "$@"' sh "$tmp/bare-node" "$@" 2>&1
    code=$?
    rmdir "$tmp/bare-node"
    return $code
}
if bare_node true >/dev/null && containerd --version 2>/dev/null | grep -q ' 1\.6'; then
    like "$(bare_node "$files/cuarbiter" cdi --merge; echo $?)" '*no container engine on this node reads CDI specifications*1' 'cdi --merge: nothing reads specifications'
    like "$(bare_node "$files/cuarbiter" cdi --merge /etc/cdi/nvidia.yaml; echo $?)" '*gets cuarbiter*0' 'cdi --merge FILE: who names a file knows who reads it'
else
    missing 'cdi --merge: nothing reads specifications' 'no overlay here, or a containerd that reads them'
fi
# Engines start it as root.
mkdir -p "$tmp/public/folder"
cp "$files/cuarbiter" "$files/cuarbiter-answer" "$files/libcuarbiter.so" "$tmp/public/folder/"
open_to() { # WHO CHANGE UNDO
    eval "$2"
    for verb in 'node on' 'node check' 'cdi'; do
        like "$(in_etc "$tmp/public/folder/cuarbiter" $verb 2>&1)" 'cuarbiter: hook: users other than root can change *, and so *, which the hook runs or gives to containers; *' "$verb: $1"
    done
    that "node on: $1: nothing is written" "$(ls "$tmp/etc/containers/oci/hooks.d")" ''
    eval "$3"
}
open_to 'a folder that anybody can write' 'chmod 777 "$tmp/public/folder"' 'chmod 755 "$tmp/public/folder"'
open_to 'above it one that anybody can write' 'chmod 777 "$tmp/public"' 'chmod 755 "$tmp/public"'
open_to "another's folder" 'chown 1000 "$tmp/public"' 'chown 0 "$tmp/public"'
open_to "a group's folder" 'chgrp 1000 "$tmp/public/folder" && chmod 775 "$tmp/public/folder"' 'chgrp 0 "$tmp/public/folder" && chmod 755 "$tmp/public/folder"'
open_to "another's library" 'chown 1000 "$tmp/public/folder/libcuarbiter.so"' 'chown 0 "$tmp/public/folder/libcuarbiter.so"'
like "$(in_etc "$tmp/public/folder/cuarbiter" node check 2>&1)" 'the hook works*' 'node check: and a folder of root'

# What the formats allow: oci-hooks(5) 1.0.0, and a hook of runtime-spec's config.md.
shape='(keys == ["args", "env", "path"]) and (.path | startswith("/")) and (.args | all(type == "string")) and (.env | all(test("^[A-Z]+=")))'
that 'node print: the form of hooks.d' "$("$files/cuarbiter" node print | jq "(keys == [\"hook\", \"stages\", \"version\", \"when\"])
    and .version == \"1.0.0\" and .when == {always: true} and .stages == [\"createContainer\"] and (.hook | $shape)")" true
that 'node print-oci: the form of a runtime' "$("$files/cuarbiter" node print-oci | jq "(keys == [\"hooks\"]) and
    (.hooks | keys == [\"createContainer\"]) and (.hooks.createContainer | length == 1) and (.hooks.createContainer[0] | $shape)")" true

# A whole configuration: containerd's base_runtime_spec.
fresh
bundle b "$gpu" "$(says 'tail -n 1 /etc/ld.so.preload')"
"$files/cuarbiter" node print-oci "$tmp/b/config.json" >"$tmp/base"
that 'node print-oci FILE: nothing but the hook is added' "$(jq -S 'del(.hooks)' "$tmp/base")" "$(jq -S . "$tmp/b/config.json")"
cp "$tmp/base" "$tmp/b/config.json"
for r in $runtimes; do
    that "$r: node print-oci FILE" "$(start $r b)" /opt/cuarbiter/libcuarbiter.so
done
like "$("$files/cuarbiter" node print-oci "$tmp/base" 2>&1; echo $?)" '*it has the member hooks already*1' 'node print-oci FILE: not twice'
head -c 300 "$tmp/base" >"$tmp/cut"
like "$("$files/cuarbiter" node print-oci "$tmp/cut" 2>&1; echo $?)" '*not valid YAML or JSON: line 2: *1' 'node print-oci FILE: one that is cut'

# An engine that reads hooks.d.
need_podman
kernel_hook 535.261.03
fresh
mkdir "$tmp/hooks.d"
"$files/cuarbiter" node print >"$tmp/hooks.d/cuarbiter.json"
image localhost/gpu "$root" 'CMD ["/app/init-cudart", "/app/libcudart.so.11.2.152"]' 'ENV LD_PRELOAD=/libstandin.so'
container() { # ARGUMENT...
    engine $r $hooks --hooks-dir "$tmp/kernel.d" run --rm -v "$tmp/nvidiactl:/dev/nvidiactl" \
        -e STANDIN_KMD=535.261.03 -e STANDIN_ROOT=/geforce "$@" 2>&1
}
put_cdi "$files/cuarbiter"
gives() { word cudaGetDeviceCount "$(container "$@" localhost/gpu)"; }
# As node on leaves it: which folders podman reads without an option is its own choice.
switched_on() {
    unshare -m --propagation private sh -c 'over=$1 files=$2; shift 2
        mkdir -p "$over" && mount -t tmpfs none "$over" || exit
        for folder in /etc /usr/share; do
            mkdir "$over/${folder##*/}" "$over/${folder##*/}.work" && mount -t overlay none $folder \
                -o "lowerdir=$folder,upperdir=$over/${folder##*/},workdir=$over/${folder##*/}.work" || exit
        done
        "$files/cuarbiter" node on >/dev/null && cp "$over/../kernel.d/kernel.json" /usr/share/containers/oci/hooks.d/ &&
            exec "$@"' sh "$tmp/over" "$files" \
        podman --root "$tmp/pod/graph" --runroot "$tmp/pod/run" --tmpdir "$tmp/pod/tmp" --storage-driver "$storage" \
        run --rm -v "$tmp/nvidiactl:/dev/nvidiactl" -e STANDIN_KMD=535.261.03 -e STANDIN_ROOT=/geforce localhost/gpu 2>&1
}
that 'podman without an option, after node on' "$(word cudaGetDeviceCount "$(switched_on)")" 100
for r in $runtimes; do
    hooks="--hooks-dir $tmp/hooks.d"
    that "podman with $r: hooks.d" "$(gives)" 100
    that "podman with $r: --read-only --user" "$(gives --read-only --user 1000)" 100
    that "podman with $r: a user namespace" "$(gives --uidmap 0:100000:65536 --gidmap 0:100000:65536)" 100
    that "podman with $r: an annotation" "$(gives --annotation cuarbiter-policy=off)" 803
    that "podman with $r: CUARBITER_POLICY=off" "$(gives -e CUARBITER_POLICY=off)" 803

    # Beside an agent that mounts a file of its own there, as HAMi and Dynatrace do: both act.
    for row in 'HAMi-like|/libvgpu.so|quota|, cuInit' 'Dynatrace-like|/opt/dynatrace/libagent.so|agent|'; do
        does=${row##*|} row=${row%|*}
        cp "$built/${row##*|}.so" "$tmp/agent.so"
        row=${row%|*} agent=${row#*|}
        echo "$agent" >"$tmp/agent.preload"
        theirs="-v $tmp/agent.so:$agent:ro -v $tmp/agent.preload:/etc/ld.so.preload:ro"
        for way in hooks.d CDI; do
            hooks='' more=''
            [ $way = CDI ] && more="--device cuarbiter/shim=test$$" || hooks="--hooks-dir $tmp/hooks.d"
            said=$(container $theirs $more localhost/gpu)
            that "podman with $r: $way, beside a ${row%|*} preload: the driver that works" "$(word cudaGetDeviceCount "$said")" 100
            that "podman with $r: $way, beside a ${row%|*} preload: which acts" \
                "$(printf '%s\n' "$said" | grep -cx "agent: in .*init-cudart$does")" 1
            that "podman with $r: $way, beside a ${row%|*} preload: and comes first" \
                "$(container $theirs $more localhost/gpu cat /etc/ld.so.preload | grep -v '^agent' | tr '\n' ' ')" \
                "$agent /opt/cuarbiter/libcuarbiter.so "
        done
        that "podman with $r: a ${row%|*} preload alone" "$(word cudaGetDeviceCount "$(hooks='' && container $theirs localhost/gpu)")" 803
    done
done

# buildah: what a step gets, and what is left in the image.
buildah() { command buildah --root "$tmp/pod/graph" --runroot "$tmp/pod/run" --storage-driver "$storage" "$@"; }
printf 'FROM localhost/gpu\nRUN tail -n 1 /etc/ld.so.preload >/seen\n' >"$tmp/Dockerfile"
buildah bud -q --isolation oci --runtime runc --network host --hooks-dir "$tmp/hooks.d" --hooks-dir "$tmp/kernel.d" -v "$tmp/nvidiactl:/dev/nvidiactl" \
    -t localhost/built -f "$tmp/Dockerfile" "$tmp/hooks.d" >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
that 'buildah: a step gets it; an empty file and an empty folder are left in the image' \
    "$(pod run --rm localhost/built sh -c 'cat /seen /etc/ld.so.preload; ls -A /opt/cuarbiter; ls -d /etc/ld.so.preload /opt/cuarbiter')" \
    '/opt/cuarbiter/libcuarbiter.so
/etc/ld.so.preload
/opt/cuarbiter'

# containerd, by ctr, with its own specification as the base: a daemon of the test's own.
if ! command -v ctr >/dev/null || ! command -v containerd >/dev/null; then
    missing 'ctr' 'no containerd'
    finish
fi
fresh
cat >"$tmp/ctr.sh" <<'CTR'
tmp=$1 files=$2 root=$3
umount -R /sys/fs/cgroup 2>/dev/null
mount -t cgroup2 none /sys/fs/cgroup && mount -t tmpfs none /run && mkdir "$tmp/ctr" && mount -t tmpfs -o size=64m none "$tmp/ctr" &&
    cd "$tmp/ctr" || exit
printf 'version = 2\nroot = "%s/root"\nstate = "%s/state"\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]\naddress = "%s/sock"\n[plugins."io.containerd.internal.v1.opt"]\npath = "%s/opt"\n' "$PWD" "$PWD" "$PWD" "$PWD" >config.toml
containerd -c config.toml >"$tmp/log" 2>&1 &
for n in $(seq 100); do [ -S sock ] && ctr -a sock version >/dev/null 2>&1 && break; sleep 0.1; done
ctr -a sock oci spec >base.json && "$files/cuarbiter" node print-oci base.json >hooked.json &&
    jq --arg root "$root" '.process.args = ["/bin/sh", "-c", "echo started; tail -n 1 /etc/ld.so.preload"] |
        .process.terminal = false | .root = {path: $root} | .annotations += {"cdi.k8s.io/x": "nvidia.com/gpu=0"} |
        .linux.resources = {} | .process.rlimits = [] | del(.linux.cgroupsPath)' hooked.json >config.json &&
    timeout 60 ctr -a sock run --rm -c config.json cuarbiter
CTR
that 'ctr: the base specification of containerd with the hook' \
    "$(unshare -mnp --fork --kill-child --mount-proc --propagation private sh "$tmp/ctr.sh" "$tmp" "$files" "$root" 2>"$tmp/err")" \
    'started
/opt/cuarbiter/libcuarbiter.so'
finish
