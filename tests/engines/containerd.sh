#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# containerd as Debian has it, by its CRI plugin: containerd.sh SUITE, of bookworm 1.6, of trixie 1.7, of sid 2.1. A pod is
# asked for as a kubelet does it (cri.py), in the node's network. The runtime `nvidia` stands in for NVIDIA's.
# shellcheck source=tests/engines/lib.sh disable=SC2016,SC2086,SC2154
. "$(dirname "$0")/lib.sh"
need_engines "${1:-bookworm}"
start_node

# shellcheck source=tests/engines/pods.sh
. "$(dirname "$0")/pods.sh"
[ "$number" != 1.7 ] || cri='enable_cdi = true'
configure
start
import image.tar '{"localhost/my/pause:latest": {"Cmd": ["sleep", "1000"], "Env": ["PATH=/usr/bin:/bin"]},
    "localhost/my/image:latest": {"Cmd": ["app"], "Env": ["PATH=/usr/bin:/bin", "NVIDIA_VISIBLE_DEVICES=all"]},
    "localhost/my/image-fixed:latest": {"Entrypoint": ["/opt/cuarbiter/cuarbiter-entrypoint"], "Cmd": ["app"], "Env": ["PATH=/usr/bin:/bin", "NVIDIA_VISIBLE_DEVICES=all"]}}'
! real || import real.tar '{"localhost/my/real:latest": {"Cmd": ["init-dlopen"], "Env": ["PATH=/usr/bin:/bin",
    "NVIDIA_VISIBLE_DEVICES=all", "STANDIN_KMD='$version'", "STANDIN_ROOT=/geforce"]}}'
none='cat: /etc/ld.so.preload: No such file or directory'
checked() { # what node check says of each way, and its exit status
    node cuarbiter node check >"$tmp/said"
    echo $? >>"$tmp/said"
    sed -n 's/, because.*//p; $p' "$tmp/said"
}
that "a pod starts: $engine" "$(pod $image echo started)" started

# Quick start: what the pod itself can name.
that 'the runtime nvidia, without cuarbiter, fakes' "$(gpu $image)" "$bare"
that 'a volume and LD_PRELOAD' "$(gpu --volume /clone/dist:/opt/cuarbiter --env LD_PRELOAD=/opt/cuarbiter/libcuarbiter.so $image)" "$works"
that 'a volume and ld.so.preload' \
    "$(gpu --volume /clone/dist:/opt/cuarbiter --volume /clone/dist/ld.so.preload:/etc/ld.so.preload $image)" "$works"
that 'a volume and the entry point' "$(gpu --volume /clone/dist:/opt/cuarbiter localhost/my/image-fixed:latest)" "$works"

# docs/node.md: CDI, of the device plugin with cdi-cri and with cdi-annotations. Fakes.
kind=k8s.device-plugin.nvidia.com/gpu spec=/var/run/cdi/k8s.device-plugin.nvidia.com-gpu.json
node sh -c 'mkdir -p /var/run/cdi && /machine/specification.py $1 json >$2' sh $kind $spec
cdi() { pod --env NVIDIA_VISIBLE_DEVICES=void --cdi $kind=0 "$@"; }
annotated() { pod --env NVIDIA_VISIBLE_DEVICES=void --annotation "cdi.k8s.io/nvidia-device-plugin_1=$kind=0" "$@"; }
by_cdi="containerd $number: pods by CDI (the device plugin's cdi-cri or cdi-annotations)"
by_runtime="containerd $number: the runtime nvidia, mode auto: not reached"
if [ "$number" = 1.6 ]; then
    that 'it knows no CDI: the pod gets no GPU' "$(cdi $image)" 'app: cuInit: error 100'
    that 'node check: neither is reached' "$(checked)" "$by_cdi: not reached
$by_runtime
1"
else
    that 'CDI by the field, without cuarbiter' "$(cdi $image)" "$bare"
    that 'CDI by an annotation, without cuarbiter' "$(annotated $image)" "$bare"
    that 'node check: neither is reached' "$(checked)" "$by_cdi: not reached
$by_runtime
1"
    like "$(node cuarbiter cdi --merge; echo $?)" '*0' 'cdi --merge'
    that 'CDI by the field, cdi --merge' "$(cdi $image)" "$works"
    that 'CDI by an annotation, cdi --merge' "$(annotated $image)" "$works"
    that 'the same, CUARBITER_POLICY=off' "$(cdi --env CUARBITER_POLICY=off $image)" "$bare"
    that 'a pod without a GPU is left' "$(pod $image cat /etc/ld.so.preload)" "$none"
    that 'the runtime nvidia is not reached' "$(gpu $image)" "$bare"
    that 'node check: CDI is reached' "$(checked)" "$by_cdi: reached
$by_runtime
1"
    node mv /opt/cuarbiter /opt/gone
    that "cuarbiter's files are gone: the pod starts" "$(cdi $image)" "$bare"
    node mv /opt/gone /opt/cuarbiter
    node cuarbiter cdi --remove >/dev/null
    that 'cdi --remove' "$(cdi $image)" "$bare"
fi
node rm $spec

# docs/containerd.md: the base runtime specification.
stop containerd
node sh -c 'ctr oci spec >/etc/containerd/spec.json && cuarbiter node print-oci /etc/containerd/spec.json >/etc/containerd/cuarbiter.json'
configure 'base_runtime_spec = "/etc/containerd/cuarbiter.json"'
start
that 'base_runtime_spec: the runtime nvidia' "$(gpu $image)" "$works"
that 'the same, CUARBITER_POLICY=off' "$(gpu --env CUARBITER_POLICY=off $image)" "$bare"
that 'the same, without a GPU: left' "$(gpu --env NVIDIA_VISIBLE_DEVICES=void $image cat /etc/ld.so.preload)" "$none"
that 'another runtime is left' "$(pod $image cat /etc/ld.so.preload)" "$none"
if real; then
    that 'a real 555 before 535, CUARBITER_POLICY=off: 803' \
        "$(word cuInit "$(gpu --env CUARBITER_POLICY=off localhost/my/real:latest)")" 803
    that 'base_runtime_spec: a real 555 before 535' "$(word cuInit "$(gpu localhost/my/real:latest)")" 100
    that 'the same, linked' "$(word cuInit "$(gpu localhost/my/real:latest init-linked)")" 100
else
    missing 'a real 555 before 535' 'no real drivers: scripts/fetch-drivers'
fi
that 'node check: it is reached' "$(checked)" "containerd $number: pods of the runtime nvidia: reached
0"
node mkdir /var/log/cuarbiter
gpu $image >"$tmp/log"
like "$(node cat /var/log/cuarbiter/containers.jsonl)" \
    '{"time":"*,"hook":"added","why":null,"namespace":"default","pod":"pod-*","name":"main","image":"localhost/my/image:latest",*' \
    'a line for a pod in /var/log/cuarbiter'
node mv /opt/cuarbiter /opt/gone
that "cuarbiter's files are gone: the pod starts" "$(gpu $image)" "$bare"
node mv /opt/gone /opt/cuarbiter

stop containerd && ok 'the daemon ends' || not_ok 'the daemon ends' "$(node tail -n 3 /run/containerd.log)"
finish
