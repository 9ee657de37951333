# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2016,SC2034,SC2086,SC2154
# On top of lib.sh, after start_node: containerd with its CRI plugin, asked for pods as a kubelet asks (cri.py), in the
# node's network. The runtime `nvidia` stands in for NVIDIA's.
#
#   configure LINE MORE      its configuration: a line for the runtime nvidia, and sections behind the others; "": none.
#                            $cri: a line for the CRI plugin of 1.x
#   start                    the daemon
#   import LAYER IMAGES      makes images of a layer
#   pod, gpu OPTION...       cri.py; gpu: by the runtime nvidia
number=$(node containerd --version | sed 's/^containerd [^ ]* \([0-9]*\.[0-9]*\).*/\1/')
engine="containerd $(node containerd --version | cut -d ' ' -f 3), $(node runc --version | head -n 1)"
echo "# $engine"
case $number in
1.*) section=io.containerd.grpc.v1.cri ;;
*) section=io.containerd.cri.v1.runtime ;;
esac
configure() { # LINE [MORE]
    runtimes="[plugins.'$section'.containerd.runtimes.runc]
  runtime_type = 'io.containerd.runc.v2'
[plugins.'$section'.containerd.runtimes.nvidia]
  ${1:-}
  runtime_type = 'io.containerd.runc.v2'
  [plugins.'$section'.containerd.runtimes.nvidia.options]
    BinaryName = '/usr/bin/nvidia-container-runtime'"
    case $number in
    1.*)
        text="version = 2
[plugins.'$section']
  sandbox_image = 'localhost/my/pause:latest'
  restrict_oom_score_adj = true
  ${cri:-}
[plugins.'$section'.containerd]
  snapshotter = 'native'
$runtimes"
        ;;
    *)
        text="version = 3
[plugins.'io.containerd.cri.v1.images']
  snapshotter = 'native'
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = 'localhost/my/pause:latest'
[plugins.'$section']
  restrict_oom_score_adj = true
$runtimes"
        ;;
    esac
    node sh -c 'mkdir -p /etc/containerd && echo "$1" >/etc/containerd/config.toml' sh "$text
${2:-}"
}
start() {
    daemon containerd containerd
    ready containerd /machine/cri.py
}
# From 2.0 on ctr asks a service that knows the default snapshotter alone, but for --local.
local=''
case $number in 2.*) local=--local ;; esac
import() { # LAYER IMAGES
    node sh -c 'cd /machine && ./archive.py images.tar "$@" && ctr -n k8s.io image import '$local' --snapshotter native images.tar && rm images.tar' sh "$@" \
        >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
}
pod() {
    node /machine/cri.py --cgroup-parent "/$group" "$@" 2>&1
}
gpu() { pod --handler nvidia "$@"; }
image=localhost/my/image:latest
bare='app: cuInit: error 804' works='app: CUDA works'
