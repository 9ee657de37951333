#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/recipes/kubernetes: the DaemonSet's container, as a pod of the node's own containerd and by its Docker, and the pods
# of others meanwhile: daemonset.sh SUITE, containerd 1.7 of trixie, 2.1 of sid.
# shellcheck source=tests/engines/lib.sh disable=SC2016,SC2086,SC2154
. "$(dirname "$0")/lib.sh"
need_tool busybox
need_engines "${1:-trixie}"
start_node

# shellcheck source=tests/engines/pods.sh
. "$(dirname "$0")/pods.sh"
[ "$number" != 1.7 ] || cri='enable_cdi = true'
nri="[plugins.'io.containerd.nri.v1.nri']
  disable = false"
# On is the default of 2.x.
configure '' "[plugins.'io.containerd.nri.v1.nri']
  disable = true"
# As systemd does; and nothing of cuarbiter yet.
node mount --make-rshared /
node rm -r /opt/cuarbiter /usr/bin/cuarbiter
start
import image.tar '{"localhost/my/pause:latest": {"Cmd": ["sleep", "1000"], "Env": ["PATH=/usr/bin:/bin"]},
    "localhost/my/image:latest": {"Cmd": ["app"], "Env": ["PATH=/usr/bin:/bin", "NVIDIA_VISIBLE_DEVICES=all"]}}'
# The image of `docker build --target carrier`.
carrier=$tmp/carrier
mkdir -p "$carrier/bin" "$carrier/opt" "$carrier/tmp" "$carrier/etc" "$carrier/proc" "$carrier/sys" "$carrier/dev"
cp "$(command -v busybox)" "$carrier/bin/"
for applet in $("$carrier/bin/busybox" --list); do [ "$applet" = busybox ] || ln -s busybox "$carrier/bin/$applet"; done
cp -r "$files" "$carrier/opt/cuarbiter"
tar -C "$carrier" -c . | node sh -c 'cat >/machine/carrier.tar'
import carrier.tar '{"localhost/cuarbiter-carrier:latest": {"Cmd": ["sh"], "Env": ["PATH=/bin"]}}'
node mkdir /machine/script
node sh -c 'cat >/machine/script/node.sh' <"$tree/docs/recipes/kubernetes/base/node.sh"

kind=k8s.device-plugin.nvidia.com/gpu spec=/var/run/cdi/k8s.device-plugin.nvidia.com-gpu.json
write_spec() { # as the device plugin does
    node sh -c 'mkdir -p /var/run/cdi && /machine/specification.py $1 json >$2.new && mv $2.new $2' sh $kind $spec
}
write_spec
cdi() { pod --env NVIDIA_VISIBLE_DEVICES=void --cdi $kind=0 "$@"; }
# The switch's line may come before the program's own.
last() { tail -n 1; }
settings='--env CUARBITER_NODE_READY=/host/run/ready --env CUARBITER_NODE_PAUSE=1'
begin() { # MODE [OPTION...]
    mode=$1
    shift
    node rm -rf /run/ready /run/daemonset
    kept=$(pod --keep /run/daemonset --privileged --host-pid --volume /:/host:rslave --volume /machine/script:/script $settings "$@" \
        localhost/cuarbiter-carrier:latest sh /script/node.sh "$mode")
}
end() { # [OPTION...], as the kubelet ends a pod
    node /machine/cri.py --end $kept "$@" || :
}
waits() { # COMMAND...: until it is true on the node, ten seconds at most
    for _ in $(seq 100); do ! node "$@" 2>/dev/null || { echo yes && return; }; sleep 0.1; done
    echo no
}
ready_there() { [ "$(waits test -e /run/ready)" = yes ] || node tail -n 5 /run/daemonset/log; }
merged() { waits grep -q '"cuarbiter"' $spec; }
said() { # PATTERN: lines of its log
    node grep -c "$1" /run/daemonset/log
}
that "before: by CDI, fakes: $engine" "$(cdi $image)" "$bare"

begin report
that 'report: ready' "$(ready_there)" ''
that 'report: a pod is as before' "$(cdi $image | last)" "$bare"
like "$(cdi $image)" '*"policy":"report"*' 'report: its process says what auto would do'
that 'canary: a pod with CUARBITER_POLICY=auto' "$(cdi --env CUARBITER_POLICY=auto $image | last)" "$works"
that 'report: a pod without a GPU is left' "$(pod $image cat /etc/ld.so.preload)" 'cat: /etc/ld.so.preload: No such file or directory'
that 'report: what node check says' "$(said "containerd $number: pods by CDI .*: reached") $(said 'the runtime nvidia, mode auto: not reached') $(said 'ended with 1: reached: false')" \
    '1 1 1'
# Of a short program the collector may not see the container.
for _ in $(seq 20); do
    ! node sh -c 'tail -n 1 /var/log/cuarbiter/reports.jsonl | grep -q "\"container\":null"' && break
    cdi --env CUARBITER_POLICY=auto $image >/dev/null
done
like "$(node sh -c 'tail -n 1 /var/log/cuarbiter/reports.jsonl')" \
    '*"container":"????????????????????????????????????????????????????????????????","namespace":"default","pod":"pod-*","name":"main",*"policy":"auto"*' \
    'report: the node knows which pod got what'
end
that 'its end changes nothing: report' "$(cdi $image | last)" "$bare"

begin on
that 'on: ready' "$(ready_there)" ''
that 'on: by CDI' "$(cdi $image)" "$works"
that 'on: the runtime nvidia is not reached' "$(gpu $image)" "$bare"
write_spec
that 'on: a specification that is written anew' "$(merged)" yes
that 'on: a pod by that' "$(cdi $image)" "$works"
stop containerd
start
that 'on: containerd starts anew' "$(cdi $image)" "$works"
# What node check advises for the pods that CDI does not reach.
that 'on: what it says of these' "$(said '    set disable = false in .plugins."io.containerd.nri.v1.nri"., restart containerd')" 1
configure '' "$nri"
stop containerd
start
that 'on: NRI is on: it starts its plugin' "$(waits grep -q 'pods, by NRI: reached' /run/daemonset/log)" yes
that 'on: by NRI, the runtime nvidia' "$(gpu $image)" "$works"
that 'on: by NRI and CDI' "$(cdi $image)" "$works"
stop containerd
start
waits sh -c '[ "$(grep -c "containerd now adds" /run/daemonset/log)" = 2 ]' >/dev/null
that 'on: by NRI, containerd starts anew' "$(gpu $image)" "$works"
end
that 'its end: the plugin ends, too' "$(gpu $image)" "$bare"
that 'its end changes nothing: on' "$(cdi $image)" "$works"
write_spec
that 'a specification written meanwhile: as without it' "$(cdi $image)" "$bare"

# An upgrade: what runs keeps its files.
old=$(node readlink /opt/cuarbiter)
node sh -c 'cp -r /clone/dist /machine/newer && echo "# newer" >>/machine/newer/ld.so.preload'
begin on --env CUARBITER_NODE_FILES=/host/machine/newer
ready_there
that 'an upgrade: the newer files, and the older ones' "$(node sh -c 'tail -n 1 /opt/cuarbiter/ld.so.preload; [ -e "/opt/$1/ld.so.preload" ] && echo there' sh "$old")" \
    '# newer
there'
that 'an upgrade: a pod' "$(cdi $image)" "$works"
end

# Killed wherever it is, on the way in and out: pods start.
for mode in off on off on; do
    for delay in 0.1 0.4 0.8 1.2; do
        write_spec
        begin $mode
        sleep $delay
        end --grace 0
        cdi $image | sed "s/$works/started/; s/$bare/started/"
    done
done >"$tmp/killed"
that 'killed anywhere' "$(sort "$tmp/killed" | uniq -c | tr -s ' ')" ' 16 started'

begin off
that 'off: ready' "$(ready_there)" ''
that 'off: nothing is left' "$(waits grep -q 'nothing of cuarbiter is left' /run/daemonset/log)
$(node sh -c 'ls -A /opt /etc/cuarbiter /run/cuarbiter /etc/containers/oci/hooks.d 2>/dev/null; grep -l cuarbiter /var/run/cdi/* /etc/cdi/* 2>/dev/null')" \
    'yes
/opt:
containerd'
that 'off: as before' "$(cdi $image)" "$bare"
end

# The same container by Docker, on the same node.
node sh -c 'mkdir -p /etc/docker && echo "$1" >/etc/docker/daemon.json' sh "{\"storage-driver\": \"vfs\", \"iptables\": false,
    \"ip6tables\": false, \"bridge\": \"none\", \"cgroup-parent\": \"/$group\"}"
daemon docker dockerd
ready docker docker version
node docker import --change 'ENV PATH=/bin' /machine/carrier.tar cuarbiter-carrier >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
node rm -f /run/ready
node docker run -d --name node --privileged --pid host --network none -v /:/host:rslave -v /machine/script:/script:ro $settings cuarbiter-carrier \
    sh /script/node.sh on >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
that "by Docker $(node docker version --format '{{.Server.Version}}'): ready" "$(ready_there)" ''
that 'by Docker: a pod of containerd by CDI' "$(cdi $image)" "$works"
write_spec
that 'by Docker: a specification that is written anew' "$(merged)" yes
node docker rm -f node >/dev/null 2>&1
that 'by Docker: its end changes nothing' "$(cdi $image)" "$works"
stop docker
stop containerd && ok 'the daemon ends' || not_ok 'the daemon ends' "$(node tail -n 3 /run/containerd.log)"
finish
