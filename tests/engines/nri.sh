#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter node nri, with containerd's CRI plugin: nri.sh SUITE, of trixie 1.7, of sid 2.1. Pods come to a GPU by
# NVIDIA_VISIBLE_DEVICES and a stand-in for NVIDIA's runtime, which no CDI specification reaches.
# shellcheck source=tests/engines/lib.sh disable=SC2016,SC2086,SC2154
. "$(dirname "$0")/lib.sh"
need_engines "${1:-trixie}"
start_node

number=$(node containerd --version | sed 's/^containerd [^ ]* \([0-9]*\.[0-9]*\).*/\1/')
engine="containerd $(node containerd --version | cut -d ' ' -f 3), $(node runc --version | head -n 1)"
echo "# $engine"
case $number in
1.*)
    section=io.containerd.grpc.v1.cri local=''
    images="version = 2
[plugins.'$section']
  sandbox_image = 'localhost/my/pause:latest'
  restrict_oom_score_adj = true
[plugins.'$section'.containerd]
  snapshotter = 'native'
[plugins.'$section'.containerd.runtimes.runc]
  runtime_type = 'io.containerd.runc.v2'"
    ;;
*)
    section=io.containerd.cri.v1.runtime local=--local
    images="version = 3
[plugins.'io.containerd.cri.v1.images']
  snapshotter = 'native'
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = 'localhost/my/pause:latest'
[plugins.'$section']
  restrict_oom_score_adj = true"
    ;;
esac
nri="[plugins.'io.containerd.nri.v1.nri']
  disable = false"
configure() { # [NRI]
    node sh -c 'mkdir -p /etc/containerd /opt/nri/plugins && echo "$1" >/etc/containerd/config.toml' sh "$images
[plugins.'$section'.containerd.runtimes.nvidia]
  runtime_type = 'io.containerd.runc.v2'
  [plugins.'$section'.containerd.runtimes.nvidia.options]
    BinaryName = '/usr/bin/nvidia-container-runtime'
${1:-}"
}
start() {
    daemon containerd containerd
    ready containerd /machine/cri.py
}
again() {
    stop containerd
    start
}
pod() {
    node /machine/cri.py --cgroup-parent "/$group" "$@" 2>&1
}
gpu() { pod --handler nvidia "$@"; }
# By its own, as the service starts it.
plugin() {
    node sh -c ': >/run/nri.log'
    daemon nri sh -c 'cuarbiter node nri; echo "exit status $?"'
    prints 'containerd now adds *'
}
prints() { # PATTERN: the plugin prints that
    for _ in $(seq 100); do
        # shellcheck disable=SC2254
        case $(node cat /run/nri.log) in $1) return ;; esac
        sleep 0.1
    done
    node tail -n 3 /run/nri.log /run/containerd.log | sed 's/^/# /'
}
signal() { # SIGNAL: to the plugin, whoever started it; that there is one is a part of it
    node sh -c 'for each in /proc/[0-9]*; do
        case $(readlink "$each/exe") in /opt/*/cuarbiter) kill "-$1" "${each#/proc/}" && echo sent ;; esac
    done' sh "$1" 2>/dev/null
}
reached() {
    node cuarbiter node check | sed -n 's/^\(containerd .*\), because .*/\1/p; s/^    //p'
}

configure
start
node sh -c 'cd /machine && ./archive.py images.tar image.tar "$1" && ctr -n k8s.io image import $2 --snapshotter native images.tar' sh \
    '{"localhost/my/pause:latest": {"Cmd": ["sleep", "1000"], "Env": ["PATH=/usr/bin:/bin"]},
    "localhost/my/image:latest": {"Cmd": ["app"], "Env": ["PATH=/usr/bin:/bin", "NVIDIA_VISIBLE_DEVICES=all"]}}' \
    "$local" >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
image=localhost/my/image:latest
bare='app: cuInit: error 804' works='app: CUDA works'
that "without the plugin, fakes: $engine" "$(gpu $image)" "$bare"
way="containerd $number: the runtime nvidia, mode auto: not reached"
service='systemctl enable --now cuarbiter-nri.service (docs/containerd.md)'
if [ "$number" = 1.7 ]; then
    that 'NRI is off, the default of 1.7: node check' "$(reached)" "$way
set disable = false in [plugins.\"io.containerd.nri.v1.nri\"], restart containerd, then $service"
    like "$(node cuarbiter node nri 2>&1)" 'cuarbiter: /var/run/nri/nri.sock: No such file*disable = false*' 'NRI is off: the plugin says so'
    configure "$nri"
    again
fi
that 'NRI is on: node check' "$(reached)" "$way
$service"

plugin
that 'the plugin' "$(gpu $image)" "$works"
that 'the plugin: another time' "$(gpu $image)" "$works"
that 'the plugin: CUARBITER_POLICY=off' "$(gpu --env CUARBITER_POLICY=off $image)" "$bare"
that 'the plugin: a container without a GPU is left' "$(pod $image cat /etc/ld.so.preload)" 'cat: /etc/ld.so.preload: No such file or directory'
# containerd waits two seconds for a plugin, then closes its connection.
that 'the plugin hangs' "$(signal STOP)" sent
that 'the plugin hangs: pods start as bare' "$(gpu $image), $(gpu $image)" "$bare, $bare"
that 'the plugin goes on' "$(signal CONT)" sent
prints '*exit status 1'
like "$(node tail -n 2 /run/nri.log)" '*cuarbiter: nri: containerd has closed the connection; new pods start without cuarbiter
exit status 1' 'the plugin goes on: it ends with a line'
plugin
that 'the plugin, started anew' "$(gpu $image)" "$works"
that 'the plugin is killed' "$(signal KILL)" sent
that 'the plugin is killed: pods start as bare' "$(gpu $image)" "$bare"
plugin
node mv /opt/cuarbiter /opt/gone
that "cuarbiter's files are gone, the plugin is not: pods start as bare" "$(gpu $image)" "$bare"
node mv /opt/gone /opt/cuarbiter
that 'and are there again' "$(gpu $image)" "$works"
stop containerd
prints '*exit status 1'
like "$(node tail -n 2 /run/nri.log)" '*cuarbiter: nri: containerd has closed the connection; *
exit status 1' 'containerd ends: the plugin ends with a line'

# Started by containerd.
node ln -s /opt/cuarbiter/cuarbiter /opt/nri/plugins/10-cuarbiter
start
that 'a link in /opt/nri/plugins' "$(gpu $image)" "$works"
that 'a link in /opt/nri/plugins: node check' "$(reached)" "containerd $number: pods, by NRI: reached"
again
that 'a link in /opt/nri/plugins: containerd started anew' "$(gpu $image)" "$works"
that 'it is killed' "$(signal KILL)" sent
that 'it is killed: pods start as bare' "$(gpu $image)" "$bare"
node mv /opt/cuarbiter/cuarbiter-answer /opt/cuarbiter/gone
again
that "a file is missing: containerd and pods start" "$(gpu $image)" "$bare"
stop containerd && ok 'containerd ends' || not_ok 'containerd ends' "$(node tail -n 3 /run/containerd.log)"
# Which is why docs/containerd.md has the service.
node mv /opt/cuarbiter /opt/gone
daemon containerd containerd
if [ "$number" = 1.7 ]; then
    for _ in $(seq 100); do
        node sh -c 'kill -0 "$(cat /run/containerd.own)"' 2>/dev/null || break
        sleep 0.1
    done
    like "$(node tail -n 1 /run/containerd.log)" '*failed to start NRI interface*10-cuarbiter*' 'the link leads nowhere: containerd 1.7 does not start'
else
    ready containerd /machine/cri.py
    that 'the link leads nowhere: containerd and pods start' "$(gpu $image)" "$bare"
fi
finish
