#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The DaemonSet of docs/recipes/kubernetes, as the kubelet starts its pod: daemonset.sh SUITE, on a node with containerd, of
# bookworm 1.6, of trixie 1.7, of sid 2.1; and its container by that suite's Docker. Other pods of that containerd come to
# the GPU by the device plugin's specification, or by a stand-in for NVIDIA's runtime. Fakes.
# shellcheck source=tests/engines/lib.sh disable=SC2015,SC2016,SC2086,SC2154
. "$(dirname "$0")/lib.sh"
need_tool busybox
need_engines "${1:-trixie}"
start_node
# Nothing of cuarbiter; and mounts as systemd shares them, without which no HostToContainer is.
node sh -c 'rm -r /opt/cuarbiter /usr/bin/cuarbiter && mount --make-rshared /'

# shellcheck source=tests/engines/pods.sh
. "$(dirname "$0")/pods.sh"
[ "$number" != 1.7 ] || cri='enable_cdi = true'
# On is the default of 2.x.
nri="[plugins.'io.containerd.nri.v1.nri']
  disable = "
settings() { # LINE [DISABLE]: NRI is off, unless said
    [ "$number" = 1.6 ] && configure "$1" || configure "$1" "$nri${2:-true}"
}
settings ''
start
# The carrier, as busybox with the files of a build in /opt/cuarbiter; and another build.
carrier=$tmp/carrier
mkdir -p "$carrier/bin" "$carrier/opt" "$carrier/tmp"
cp "$(command -v busybox)" "$carrier/bin/busybox"
for applet in $("$carrier/bin/busybox" --list); do [ "$applet" = busybox ] || ln -s busybox "$carrier/bin/$applet"; done
cp -r "$files" "$carrier/opt/cuarbiter"
strip --strip-unneeded "$carrier"/opt/cuarbiter/cuarbiter* "$carrier/opt/cuarbiter/libcuarbiter.so"
tar -C "$carrier" -c . | node sh -c 'cat >/machine/carrier.tar'
echo '# newer' >>"$carrier/opt/cuarbiter/ld.so.preload"
tar -C "$carrier" -c . | node sh -c 'cat >/machine/newer.tar'
import image.tar '{"localhost/my/pause:latest": {"Cmd": ["sleep", "1000"], "Env": ["PATH=/usr/bin:/bin"]},
    "localhost/my/image:latest": {"Cmd": ["app"], "Env": ["PATH=/usr/bin:/bin", "NVIDIA_VISIBLE_DEVICES=all"]}}'
import carrier.tar '{"localhost/cuarbiter-carrier:latest": {"Cmd": ["sh"], "Env": ["PATH=/bin"]}}'
import newer.tar '{"localhost/cuarbiter-carrier:newer": {"Cmd": ["sh"], "Env": ["PATH=/bin"]}}'
# The script, as its ConfigMap; and one more that stops before the command that STOP is a pattern of.
node mkdir /machine/script
node sh -c 'cat >/machine/script/node.sh' <"$tree/docs/recipes/kubernetes/base/node.sh"
node sh -c 'cat >/machine/script/stops' <<'STOPS'
stops() {
    case $* in
    $STOP) : >/host/run/stopped && while :; do sleep 100; done ;;
    esac
}
for each in mkdir mv cp ln rm rmdir chroot find; do
    eval "$each() { stops $each \"\$@\"; command $each \"\$@\"; }"
done
. /script/node.sh
STOPS

# The limits are those of daemonset.yaml.
begin() { # MODE [OPTION...]
    mode=$1
    shift
    node rm -rf "/run/cuarbiter-node$also" /run/stopped
    node /machine/cri.py --cgroup-parent "/$group" --stay "cuarbiter-node$also" --privileged --host-pid --memory 134217728 --cpu 500 \
        --volume /:/host:rslave --volume /machine/script:/script "$@" "localhost/cuarbiter-carrier:${tag:-latest}" \
        sh "/script/${script:-node.sh}" "$mode"
}
waits() { # COMMAND...: until it is true on the node, twenty seconds at most
    for _ in $(seq 200); do
        ! node "$@" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    echo "not within twenty seconds: $*"
    said | tail -n 5
}
is_ready() { # as the kubelet asks
    waits /machine/cri.py --exec cuarbiter-node test -e /tmp/ready
}
end() { # as the kubelet ends a pod; prints the exit status
    node /machine/cri.py --end "cuarbiter-node$also"
}
said() {
    node sh -c 'cut -d " " -f 4- /run/cuarbiter-node/log'
}
also='' # 2: of a second such pod
reached() { # what it says that node check says, at last
    said | sed -n 's/^cuarbiter [a-z]*: \(containerd .*\), because.*/\1/p; s/^cuarbiter [a-z]*: cuarbiter node check //p' | tail -n 3
}
kill_now() {
    node sh -c 'ctr -n k8s.io task kill -s SIGKILL "$(sed "s/.* //" /run/cuarbiter-node/ids)"'
    end >/dev/null
}
kill_at() { # STOP MODE: killed before that command
    script=stops begin "$2" --env "STOP=$1"
    waits test -e /run/stopped
    kill_now
}
left() { # of cuarbiter on the node, without what the test and containerd have of it
    node sh -c 'find / -xdev \( -path /machine -o -path /clone -o -path /old \) -prune -o -name "*cuarbiter*" -print
        find /run /tmp -xdev -path "/run/cuarbiter-node*" -prune -o -path "/run/containerd/io.containerd*" -prune -o -name "*cuarbiter*" -print
        find /etc/containers /usr/share/containers -type f; grep -rl cuarbiter /etc /run/cdi' 2>/dev/null
}
kind=k8s.device-plugin.nvidia.com/gpu spec=/var/run/cdi/k8s.device-plugin.nvidia.com-gpu.json
plugin() { # as the device plugin writes it
    node sh -c 'mkdir -p /var/run/cdi && /machine/specification.py $1 json >$2.tmp && mv $2.tmp $2' sh $kind $spec
}
cdi() { pod --env NVIDIA_VISIBLE_DEVICES=void --cdi $kind=0 $image; }
by_cdi="containerd $number: pods by CDI (the device plugin's cdi-cri or cdi-annotations)"
by_runtime="containerd $number: the runtime nvidia, mode auto: not reached"
plugin
node sh -c 'find /etc /opt /usr/share /var/lib/kubelet /run/cdi 2>/dev/null | sort >/machine/before'
before=$bare after=$works reach=reached
[ "$number" != 1.6 ] || before='app: cuInit: error 100' after=$before reach='not reached'
that "without cuarbiter: CDI, $engine" "$(cdi)" "$before"

that 'the runtime nvidia, without cuarbiter' "$(gpu $image)" "$bare"

# report.
begin report
that 'report: ready, as the kubelet asks' "$(is_ready)" ''
if [ "$number" = 1.6 ]; then
    that 'report: pods start' "$(cdi), $(gpu $image)" "$before, $bare"
else
    that 'report: a pod by CDI fails as before, and prints nothing more' "$(cdi)" "$bare"
    that 'report: a pod by the runtime nvidia' "$(gpu $image)" "$bare"
fi
if [ "$number" != 1.6 ]; then
    that 'canary: a pod with CUARBITER_POLICY=auto' "$(pod --env NVIDIA_VISIBLE_DEVICES=void --env CUARBITER_POLICY=auto --cdi $kind=0 $image)" "$works"
    # Of a short program the collector may not see the container.
    for _ in $(seq 20); do
        ! node sh -c 'tail -n 1 /var/log/cuarbiter/reports.jsonl | grep -q "\"container\":null"' || cdi >/dev/null
    done
    like "$(node sh -c 'tail -n 1 /var/log/cuarbiter/reports.jsonl')" \
        '*"container":"????????????????????????????????????????????????????????????????","namespace":"default","pod":"pod-*","name":"main",*"without":804*' \
        'report: the node knows which pod got what'
fi
checked="$by_cdi: $reach
$by_runtime
ended with 1: reached: false"
that 'report: node check, in its log' "$(reached)" "$checked"
that 'report: its end' "$(end)" 0

# on, its end, an upgrade.
begin on
that 'on: ready' "$(is_ready)" ''
that 'on: a pod by CDI' "$(cdi)" "$after"
that 'on: the runtime nvidia is not reached' "$(gpu $image)" "$bare"
that 'on: node check, in its log' "$(reached)" "$checked"
if [ "$number" != 1.6 ]; then
    plugin
    that 'on: a specification that is written anew' "$(waits grep -q cuarbiter $spec; cdi)" "$works"
    that 'on: the watch is killed, a specification is written anew' \
        "$(node sh -c 'for each in /proc/[0-9]*; do ! tr "\0" " " <$each/cmdline | grep -q "^/opt/cuarbiter/cuarbiter cdi.*--watch" || kill -9 ${each#/proc/}; done' 2>/dev/null
            plugin; waits grep -q cuarbiter $spec; cdi)" "$works"
    node rm -r /var/run/cdi
    plugin
    that "on: and in a folder made anew" "$(waits grep -q cuarbiter $spec; cdi)" "$works"
fi
that 'on: its end' "$(end)" 0
that 'on: its end changes nothing' "$(cdi)" "$after"
old=$(node readlink /opt/cuarbiter)
tag=newer begin on
that 'an upgrade: ready' "$(is_ready)" ''
that 'an upgrade: the files are newer, and pods start' \
    "$([ "$(node readlink /opt/cuarbiter)" != "$old" ] && node tail -n 1 /opt/cuarbiter/ld.so.preload; cdi)" "# newer
$after"
like "$(said)" "*cuarbiter on: placed: cuarbiter [0-9]*, build [0-9a-f]*; before: cuarbiter [0-9]*, build ${old#.cuarbiter-}*" 'an upgrade: its log says from what to what'
that 'an upgrade: its end' "$(end)" 0
begin on
that 'and back' "$(is_ready; node readlink /opt/cuarbiter; cdi)" "$old
$after"

# containerd is started anew, for the base runtime specification of docs/containerd.md.
node sh -c 'ctr oci spec >/etc/containerd/spec.json &&
    /opt/cuarbiter/cuarbiter node --dir /opt/cuarbiter print-oci /etc/containerd/spec.json >/etc/containerd/cuarbiter.json'
stop containerd
settings 'base_runtime_spec = "/etc/containerd/cuarbiter.json"'
start
that 'containerd is started anew: its pod is still ready' "$(is_ready)" ''
that 'containerd is started anew: base_runtime_spec: the runtime nvidia' "$(gpu $image), $(cdi)" "$works, $after"
if [ "$number" != 1.6 ]; then
    plugin
    that 'containerd is started anew: a specification, too' "$(waits grep -q cuarbiter $spec; cdi)" "$works"
fi
end >/dev/null
begin on
is_ready
that 'containerd is started anew: node check' "$(reached)" "$([ "$number" = 1.6 ] && echo "$by_cdi: $reach" || echo "$by_cdi: reached")
containerd $number: pods of the runtime nvidia: reached
ended with $([ "$number" = 1.6 ] && echo '1: reached: false' || echo '0: reached: true')"
end >/dev/null
# As a node's label changes: the pod of `on` is still there, and merges what the pod of `off` has taken out.
also=2
begin on
that 'off: a pod of on is still there' "$(waits grep -q check.ended.with /run/cuarbiter-node2/log)" ''
also=''
begin off
that 'off: ready' "$(is_ready)" ''
that 'off: pods start, bare' "$(gpu $image), $(cdi)" "$bare, $before"
that 'off: the end of the pod of on' "$(also=2 end)" 0
that 'off: the files stay as long as a configuration names them' \
    "$(waits sh -c 'tail -n 1 /run/cuarbiter-node/log | grep -q "the files stay as long as these have them: /etc/containerd/cuarbiter.json $"')" ''
stop containerd
node rm /etc/containerd/spec.json /etc/containerd/cuarbiter.json
settings ''
start
that 'off: then nothing is left but the log, as it says' "$(waits grep -q 'nothing of cuarbiter is left' /run/cuarbiter-node/log; said | sed -n 's/.*nothing of/nothing of/p'; end; left)" \
    'nothing of cuarbiter is left on this node but /var/log/cuarbiter
0
/var/log/cuarbiter'
node rm -r /var/log/cuarbiter
same() {
    node sh -c 'find /etc /opt /usr/share /var/lib/kubelet /run/cdi 2>/dev/null | sort | diff /machine/before - | grep "^[<>]"'
}
that 'off: the node is as it was' "$(same)" ''

# The default of 1.7.
if [ "$number" = 1.7 ]; then
    stop containerd
    cri='' settings ''
    start
    begin on
    is_ready
    that 'enable_cdi is not set: a pod by CDI gets no GPU' "$(cdi)" 'app: cuInit: error 100'
    that 'enable_cdi is not set: node check' "$(reached)" "$by_cdi: not reached
$by_runtime
ended with 1: reached: false"
    end >/dev/null
    stop containerd
    cri='enable_cdi = true' settings ''
    start
    begin off
    waits grep -q 'nothing of cuarbiter is left' /run/cuarbiter-node/log
    end >/dev/null
fi

# Its container by Docker, which writes as the pod does.
node sh -c 'mkdir -p /etc/docker && echo "$1" >/etc/docker/daemon.json' sh "{\"storage-driver\": \"vfs\", \"iptables\": false,
    \"ip6tables\": false, \"bridge\": \"none\", \"cgroup-parent\": \"/$group\"}"
daemon docker dockerd
ready docker docker version
node rm -r /etc/docker
docker_is=$(node docker version --format 'Docker {{.Server.Version}}')
node sh -c 'docker import /machine/carrier.tar carrier' >/dev/null 2>&1
by_docker() { # MODE
    node docker run -d --name node --privileged --pid host --network none -v /:/host:rslave -v /machine/script:/script:ro \
        -e PATH=/bin --stop-timeout 5 carrier sh /script/node.sh "$1" 2>&1
}
stopped() { # prints its exit status
    node docker stop node >/dev/null
    node docker inspect --format '{{.State.ExitCode}}' node
    node docker rm node >/dev/null
}
said=$(by_docker on)
case $said in
*'apply caps: operation not permitted'*) ok "in a container of $docker_is # SKIP the kernel refuses it privileged" ;;
*)
    that "in a container of $docker_is: ready" "$(waits docker exec node test -e /tmp/ready)" ''
    that "in a container of $docker_is: a pod by CDI" "$(cdi)" "$after"
    like "$(node docker logs node 2>&1)" "*cuarbiter on: $by_cdi: $reach, because*" "in a container of $docker_is: node check"
    if [ "$number" != 1.6 ]; then
        plugin
        that "in a container of $docker_is: a specification that is written anew" "$(waits grep -q cuarbiter $spec; cdi)" "$works"
    fi
    that "in a container of $docker_is: its end" "$(stopped; cdi)" "0
$after"
    by_docker off >/dev/null
    that "in a container of $docker_is: off" "$(waits sh -c 'docker logs node | grep "nothing of cuarbiter is left"'; stopped; cdi; node rm -rf /var/log/cuarbiter; left)" "0
$before"
    ;;
esac
stop docker

# Killed where it changes something, on the way in and out. The next one goes on with what is left.
for step in 'cp -a*' 'mv -T .cuarbiter-new*' 'ln -s*' 'mv -T .cuarbiter-link*' 'mv */cuarbiter.conf.new*' 'chroot*cdi*--merge'; do
    kill_at "$step" on
    that "on: killed before $step: pods start" "$(cdi)" "$before"
done
begin on
that 'on, in the end' "$(is_ready; cdi; end)" "$after
0"
# In the middle of a merge, with the specification written again and again.
if [ "$number" != 1.6 ]; then
    begin on
    is_ready
    node sh -c 'end=$(($(date +%s) + 2)); /machine/specification.py $1 json >/machine/spec
        while [ "$(date +%s)" -lt $end ]; do cp /machine/spec $2.tmp; mv $2.tmp $2; sleep 0.01; done' sh $kind $spec &
    writer=$!
    sleep 1
    kill_now
    wait $writer
    that 'on: killed while it merges: pods start' "$(cdi | grep -cx -e "$bare" -e "$works")" 1
    begin on
    that 'on: killed while it merges: the next one merges' "$(is_ready; cdi; end)" "$works
0"
fi
kill_at 'mv */cuarbiter.conf.new*' off
that 'off: killed before mv */cuarbiter.conf.new*: pods start' "$(cdi)" "$after"
for step in 'chroot*cdi*--remove' 'chroot*node*off' 'rm -f /host/opt/cuarbiter' 'find /host/opt *' 'rm -f */cuarbiter.conf' 'rmdir *'; do
    kill_at "$step" off
    that "off: killed before $step: pods start" "$(cdi)" "$before"
done
begin off
that 'off, in the end' "$(waits grep -q 'nothing of cuarbiter is left' /run/cuarbiter-node/log; cdi; end; node rm -rf /var/log/cuarbiter; left)" "$before
0"

# NRI, which is on by default in 2.x: the pod runs the plugin.
if [ "$number" != 1.6 ]; then
    stop containerd
    settings '' false
    start
    begin on
    that 'NRI: ready' "$(is_ready)" ''
    that 'NRI: node check, in its log' "$(waits grep -q 'pods, by NRI: reached' /run/cuarbiter-node/log; reached | tail -n 2)" "containerd $number: pods, by NRI: reached
ended with 0: reached: true"
    that 'NRI: the runtime nvidia, and CDI' "$(gpu $image), $(cdi)" "$works, $works"
    stop containerd
    start
    that 'NRI: containerd starts anew' "$(waits sh -c '[ "$(grep -c "containerd now adds" /run/cuarbiter-node/log)" = 2 ]'; gpu $image)" "$works"
    that 'NRI: its end ends the plugin' "$(end; gpu $image), $(cdi)" "0
$bare, $works"
fi

stop containerd && ok 'the daemon ends' || not_ok 'the daemon ends' "$(node tail -n 3 /run/containerd.log)"
finish
