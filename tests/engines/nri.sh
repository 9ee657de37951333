#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter node nri, with containerd's CRI plugin: nri.sh SUITE, of trixie 1.7, of sid 2.1. Pods come to a GPU by
# NVIDIA_VISIBLE_DEVICES and a stand-in for NVIDIA's runtime, which no CDI specification reaches.
# shellcheck source=tests/engines/lib.sh disable=SC2016,SC2086,SC2154
. "$(dirname "$0")/lib.sh"
need_engines "${1:-trixie}"
start_node

# shellcheck source=tests/engines/pods.sh
. "$(dirname "$0")/pods.sh"
node mkdir -p /opt/nri/plugins
nri="[plugins.'io.containerd.nri.v1.nri']
  disable = false"
again() {
    stop containerd
    start
}
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
import image.tar '{"localhost/my/pause:latest": {"Cmd": ["sleep", "1000"], "Env": ["PATH=/usr/bin:/bin"]},
    "localhost/my/image:latest": {"Cmd": ["app"], "Env": ["PATH=/usr/bin:/bin", "NVIDIA_VISIBLE_DEVICES=all"]}}'
that "without the plugin, fakes: $engine" "$(gpu $image)" "$bare"
way="containerd $number: the runtime nvidia, mode auto: not reached"
service='the DaemonSet starts the plugin; without it, start cuarbiter node nri as a service (docs/containerd.md)'
if [ "$number" = 1.7 ]; then
    that 'NRI is off, the default of 1.7: node check' "$(reached)" "$way
add disable = false in a new section [plugins.\"io.containerd.nri.v1.nri\"] of /etc/containerd/config.toml, restart containerd, then $service"
    configure '' "[plugins.'io.containerd.nri.v1.nri']
  disable = true"
    again
    that 'NRI is off, and its section is there: node check' "$(reached)" "$way
set disable = false in [plugins.\"io.containerd.nri.v1.nri\"] of /etc/containerd/config.toml, restart containerd, then $service"
    like "$(node cuarbiter node nri 2>&1)" 'cuarbiter: /var/run/nri/nri.sock: No such file*disable = false*' 'NRI is off: the plugin says so'
    configure '' "$nri"
    again
fi
that 'NRI is on: node check' "$(reached)" "$way
$service"

plugin
that 'the plugin' "$(gpu $image)" "$works"
that 'the plugin: node check' "$(reached)" "containerd $number: pods, by NRI: reached"
that 'the plugin: another time' "$(gpu $image)" "$works"
that 'the plugin: CUARBITER_POLICY=off' "$(gpu --env CUARBITER_POLICY=off $image)" "$bare"
# A pod's annotation reaches neither config.json nor the state, unless containerd's configuration lists it; a container's does.
that "the plugin: a pod's annotation is not seen" "$(gpu --pod-annotation cuarbiter-policy=off $image)" "$works"
node mkdir -p /var/log/cuarbiter
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
that 'the plugin is killed: node check' "$(reached)" "$way
$service"
# What started meanwhile is not there for the hook; the next plugin says so, once.
missed() { # how many lines, and what they say
    for _ in $(seq 50); do
        [ "$(node grep -c '"hook":"missed"' /var/log/cuarbiter/containers.jsonl)" = 0 ] || break
        sleep 0.1
    done
    node sh -c 'sleep 1; grep "\"hook\":\"missed\"" /var/log/cuarbiter/containers.jsonl' | sed 's/^{"time":"[^"]*","container":"[0-9a-f]*",/{/'
}
gpu --stay refusing --env CUARBITER_POLICY=off $image sleep 1000 >/dev/null
gpu --stay missed $image sleep 1000 >/dev/null
pod --stay other $image sleep 1000 >/dev/null
plugin
gpu --stay served $image sleep 1000 >/dev/null
that 'the plugin, started again: a line for the container that it missed' "$(missed | sed 's/pod-[0-9]*/POD/')" \
    '{"hook":"missed","why":"it was started while the plugin did not run","namespace":"default","pod":"POD","name":"main","image":"'$image'","drivers":null,"policy":"auto"}'
node sh -c 'mv /var/log/cuarbiter/containers.jsonl /var/log/cuarbiter/containers.1.jsonl'
that 'the plugin is killed again' "$(signal KILL)" sent
plugin
that 'the plugin, once more: no second line' "$(node sh -c 'sleep 1; cat /var/log/cuarbiter/containers.jsonl' 2>&1)" \
    'cat: /var/log/cuarbiter/containers.jsonl: No such file or directory'
for each in missed other served refusing; do node /machine/cri.py --end $each >/dev/null; done
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
