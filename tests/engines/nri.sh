#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter node nri, with trixie's containerd 1.7 and its CRI plugin: pods that come to a GPU by NVIDIA_VISIBLE_DEVICES and a
# stand-in for NVIDIA's runtime, which no CDI specification reaches.
# shellcheck source=tests/engines/lib.sh disable=SC2016,SC2086,SC2154
. "$(dirname "$0")/lib.sh"
need_engines trixie
start_node

engine="containerd $(node containerd --version | cut -d ' ' -f 3), $(node runc --version | head -n 1)"
echo "# $engine"
section=io.containerd.grpc.v1.cri
node sh -c 'mkdir -p /etc/containerd /opt/nri/plugins && cat >/etc/containerd/config.toml' <<END
version = 2
[plugins.'$section']
  sandbox_image = 'localhost/my/pause:latest'
  restrict_oom_score_adj = true
[plugins.'$section'.containerd]
  snapshotter = 'native'
[plugins.'$section'.containerd.runtimes.runc]
  runtime_type = 'io.containerd.runc.v2'
[plugins.'$section'.containerd.runtimes.nvidia]
  runtime_type = 'io.containerd.runc.v2'
  [plugins.'$section'.containerd.runtimes.nvidia.options]
    BinaryName = '/usr/bin/nvidia-container-runtime'
[plugins.'io.containerd.nri.v1.nri']
  disable = false
END
start() {
    daemon containerd containerd
    ready containerd /machine/cri.py
}
start
node sh -c 'cd /machine && ./archive.py images.tar image.tar "$1" && ctr -n k8s.io image import --snapshotter native images.tar' sh \
    '{"localhost/my/pause:latest": {"Cmd": ["sleep", "1000"], "Env": ["PATH=/usr/bin:/bin"]},
    "localhost/my/image:latest": {"Cmd": ["app"], "Env": ["PATH=/usr/bin:/bin", "NVIDIA_VISIBLE_DEVICES=all"]}}' \
    >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
pod() {
    node /machine/cri.py --cgroup-parent "/$group" "$@" 2>&1
}
gpu() { pod --handler nvidia "$@"; }
image=localhost/my/image:latest
bare='app: cuInit: error 804' works='app: CUDA works'

# By its own, as a service starts it.
plugin_start() {
    daemon nri cuarbiter node nri
    await 'containerd now adds *'
}
await() { # PATTERN: the plugin prints that
    for _ in $(seq 100); do
        case $(node cat /run/nri.log) in $1) return ;; esac
        sleep 0.1
    done
    node tail -n 3 /run/nri.log /run/containerd.log | sed 's/^/# /'
}
that "the runtime nvidia, without the plugin, fakes: $engine" "$(gpu $image)" "$bare"
plugin_start
that 'the plugin is ready' "$(node cat /run/nri.log)" "containerd now adds cuarbiter's hook to each new container of a pod"
that 'the runtime nvidia, with the plugin' "$(gpu $image)" "$works"
stop nri && ok 'the plugin ends' || not_ok 'the plugin ends'
stop containerd
finish
