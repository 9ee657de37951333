#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter node check: each way by which containers ask for a GPU, and whether the hook reaches it. The
# nodes are folders; what engines print is a script's.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
may_lack jq

node=$tmp/node
put() { # PATH TEXT: a file of the node
    mkdir -p "$node$(dirname "$1")"
    printf '%s\n' "$2" >"$node$1"
}
new() {
    rm -rf "$node"
    mkdir -p "$node"
}
hook='{"hooks": [{"path": "/bin/sh", "args": ["sh", "-c", "timeout -s KILL 1", "cuarbiter", "/opt/cuarbiter/cuarbiter"]}]}'
plugin=/var/run/cdi/k8s.device-plugin.nvidia.com-gpu.json
is_way() { # CODE PATTERN NAME: what check says of the node
    run node check --sysroot "$node"
    is "$rc" "$1" "$3: exit code"
    like "$out" "$2" "$3"
}

new
is_way 3 'no podman, CRI-O or Docker, and no containerd that runs pods, was found on this node' 'an empty node'
put /usr/bin/podman ''
is_way 1 'podman: *: not reached, because hooks.d does not contain the hook
    cuarbiter node on' 'podman, nothing done'
put /usr/share/containers/oci/hooks.d/cuarbiter.json "$hook"
is_way 0 'podman: *: reached, because hooks.d contains the hook' 'podman, node on'
put /etc/containers/containers.conf '[engine]
hooks_dir = ["/srv/hooks.d"]'
is_way 1 'podman: *: not reached, because hooks_dir does not name the folder with the hook
    name /usr/share/containers/oci/hooks.d in hooks_dir of containers.conf' 'podman, other folders'
new
put /usr/bin/podman ''
put /etc/cdi/nvidia.yaml "$hook"
is_way 0 'podman: *: reached, because the CDI specifications contain the hook' 'podman, specifications'

# containerd: its version, not a key's presence.
cri='[plugins."io.containerd.grpc.v1.cri"]'
new
put /etc/containerd/config.toml "version = 2
$cri
  enable_cdi = true"
put $plugin '{"kind": "nvidia.com/gpu"}'
is_way 3 'containerd: pods by CDI *: not known, because its version is not known*' 'containerd of some version'
put /etc/containerd/config.toml 'version = 3'
is_way 1 'containerd 2.0: pods by CDI *: not reached, because a CDI specification does not contain the hook
    cuarbiter cdi --merge' 'containerd 2'
put $plugin "$hook"
is_way 0 'containerd 2.0: pods by CDI *: reached, because the CDI specifications contain the hook' 'containerd 2, merged'
put /etc/containerd/config.toml 'version = 3
[plugins."io.containerd.cri.v1.runtime"]
  enable_cdi = false'
is_way 1 'containerd 2.0: *: not reached, because enable_cdi is not true*' 'containerd 2, CDI off'
put /etc/containerd/config.toml 'version = 3'
put /etc/containerd/conf.d/99-nvidia.toml '[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia.options]
BinaryName = "/usr/bin/nvidia-container-runtime" # NVIDIA'"'"'s'
is_way 1 '*containerd 2.0: the runtime nvidia, mode auto: not reached, because where containers ask by NVIDIA_VISIBLE_DEVICES*
    the DaemonSet starts the plugin; without it, start cuarbiter node nri as a service (docs/containerd.md)' 'the runtime class, from a drop-in'
put /usr/lib/systemd/system/cuarbiter-nri.service ''
is_way 1 '*containerd 2.0: the runtime nvidia, mode auto: not reached*
    systemctl enable --now cuarbiter-nri.service (docs/containerd.md)' 'a package has brought the service'
for mode in legacy csv jit-cdi; do
    put /etc/nvidia-container-runtime/config.toml "[nvidia-container-runtime]
mode = \"$mode\"
[nvidia-container-runtime.modes.cdi]
default-kind = \"nvidia.com/gpu\""
    is_way 1 "*the runtime nvidia, mode $mode: not reached, because in this mode it reads no file*" "the runtime class in mode $mode"
done
put /etc/nvidia-container-runtime/config.toml '[nvidia-container-runtime]
mode = "cdi"'
is_way 0 '*the runtime nvidia, mode cdi: reached*' 'the runtime class in mode cdi'
mv "$node$plugin" "$tmp/plugin"
is_way 3 '*the runtime nvidia, mode cdi: not known, because NVIDIA*have written no CDI specification yet
    nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml, then cuarbiter cdi --merge' 'the runtime class in mode cdi, no specification'
mv "$tmp/plugin" "$node$plugin"
# NVIDIA's own hook.
off="NVIDIA's own hook for bundled drivers is off"
for text in '[features]
disable-cuda-compat-lib-hook = true|disable-cuda-compat-lib-hook = true' '[nvidia-container-runtime.modes.legacy]
cuda-compat-mode = "disabled"|cuda-compat-mode = disabled'; do
    for path in /etc /usr/local/nvidia/toolkit/.config; do
        put $path/nvidia-container-runtime/config.toml "${text%|*}"
        is_way 1 "$off (${text##*|}), so *" "$path: ${text##*|}"
        rm "$node$path/nvidia-container-runtime/config.toml"
    done
done
for text in '[features]
disable-cuda-compat-lib-hook = false' '[features]
#disable-cuda-compat-lib-hook = true' '[nvidia-container-runtime.modes.legacy]
cuda-compat-mode = "ldconfig"'; do
    put /etc/nvidia-container-runtime/config.toml "$text"
    run node check --sysroot "$node"
    is "$(printf '%s' "$out" | grep -c "$off")" 0 "it is on: $(echo "$text" | tr '\n' ' ')"
done
put /etc/nvidia-container-runtime/config.toml '[nvidia-container-runtime]
mode = "cdi"'
put /etc/containerd/conf.d/99-nvidia.toml '[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia]
base_runtime_spec = "/etc/containerd/cuarbiter.json"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia.options]
BinaryName = "/usr/bin/nvidia-container-runtime.legacy"'
is_way 1 '*the runtime nvidia, mode legacy: not reached*' 'a base specification that is not there'
put /etc/containerd/cuarbiter.json "$hook"
is_way 0 '*pods of the runtime nvidia: reached, because its base_runtime_spec contains the hook' 'a base specification'
mkdir -p "$node/var/lib/kubelet/plugins/gpu.nvidia.com"
is_way 1 '*pods by DRA: not reached*' 'DRA'
mkdir -p "$node/opt/nri/plugins"
put /opt/nri/plugins/10-hook-injector ''
head -c 3000000 /dev/zero >>"$node/opt/nri/plugins/10-hook-injector" # Go's programs are large
put /usr/share/containers/oci/hooks.d/cuarbiter.json "$hook"
is_way 0 "containerd 2.0: pods, by NRI's hook-injector: reached*" "NRI's hook-injector"
rm "$node/opt/nri/plugins/10-hook-injector"
is_way 1 '*pods by DRA: not reached*systemctl enable --now cuarbiter-nri.service*' 'NRI, without a plugin'
ln -s /opt/cuarbiter/cuarbiter "$node/opt/nri/plugins/10-cuarbiter"
is_way 1 '*pods by DRA: not reached*' 'the link of the plugin leads nowhere'
put /opt/cuarbiter/cuarbiter ''
is_way 0 "containerd 2.0: pods, by NRI: reached, because cuarbiter's plugin is switched on" 'the link of the plugin'
put /etc/containerd/config.toml 'version = 3
[plugins."io.containerd.nri.v1.nri"]
  disable = true'
is_way 1 '*pods by DRA: not reached*
    set disable = false in [[]plugins."io.containerd.nri.v1.nri"] of /etc/containerd/config.toml, restart containerd, then systemctl enable --now cuarbiter-nri.service*' \
    'NRI is off, and its section is there'
put /etc/containerd/config.toml 'version = 3'
put /etc/containerd/conf.d/nri.toml "[plugins.'io.containerd.nri.v1.nri']
  disable = true"
is_way 1 '*pods by DRA: not reached*
    set disable = false in [[]plugins."io.containerd.nri.v1.nri"] of /etc/containerd/conf.d, restart*' 'NRI is off in a drop-in'
rm "$node/etc/containerd/conf.d/nri.toml"
put /etc/containerd/config.toml 'version = 3'
rm "$node/opt/nri/plugins/10-cuarbiter"
put /etc/systemd/system/multi-user.target.wants/cuarbiter-nri.service ''
is_way 0 '*pods, by NRI: reached*' 'the service of the plugin'
put /etc/containerd/config.toml 'disabled_plugins = ["cri"]'
is_way 3 'no podman, CRI-O or Docker, and no containerd that runs pods, was found on this node' 'containerd without pods'
put /var/lib/rancher/rke2/agent/etc/containerd/config.toml 'version = 3'
is_way 0 'containerd 2.0: pods, by NRI: reached*' "rke2's containerd beside Docker's"
rm "$node/var/lib/rancher/rke2/agent/etc/containerd/config.toml"

# Docker.
new
put /etc/docker/daemon.json '{"features": {"cdi": true}, "runtimes": {"nvidia": {"path": "/usr/bin/nvidia-container-runtime", "runtimeArgs": []}}}'
put /etc/cdi/nvidia.yaml "$hook"
is_way 1 'Docker: docker run --device nvidia.com/gpu=*: reached*
Docker: the runtime nvidia, mode auto: not reached*
    start containers with --device nvidia.com/gpu=all; or run cuarbiter cdi --output /etc/cdi/cuarbiter.json, and add --device cuarbiter/shim=on to docker run' \
    'Docker: --device and --runtime, merged'
put /etc/cdi/nvidia.yaml '{"kind": "nvidia.com/gpu"}'
is_way 1 'Docker: docker run --device nvidia.com/gpu=*: not reached*
    cuarbiter cdi --merge
Docker: the runtime nvidia, mode auto: not reached*
    run cuarbiter cdi --merge, then start containers with --device nvidia.com/gpu=all; or run*' 'Docker: --device and --runtime'
rm "$node/etc/cdi/nvidia.yaml"
is_way 1 '*Docker: the runtime nvidia, mode auto: not reached*
    run cuarbiter cdi --output /etc/cdi/cuarbiter.json, and add --device cuarbiter/shim=on to docker run' 'Docker: no specification'
put /etc/cdi/nvidia.yaml "$hook"
put /usr/bin/nvidia-container-runtime-hook ''
is_way 1 '*docker run --gpus: not known, because its version is not known*' 'Docker: --gpus of some version'

# What names a CDI device helps only where CDI is on.
new
put /usr/bin/nvidia-container-runtime-hook ''
put /etc/docker/daemon.json '{"features": {"cdi": false}}'
is_way 3 'Docker: docker run --gpus: not known*
    set "features": {"cdi": true} in /etc/docker/daemon.json and restart Docker, then run cuarbiter cdi --output*' 'Docker: CDI is off'
put /etc/docker/daemon.json '{}'
is_way 3 'Docker: docker run --device nvidia.com/gpu=*: not known, because its version is not known, and CDI is on by default from 28.2 on
    cuarbiter cdi --merge
*' 'Docker: CDI is on or off'

# The device plugin's specification describes no device that users name.
new
put /etc/docker/daemon.json '{"features": {"cdi": true}}'
put $plugin "$hook"
is_way 3 'no container engine is configured to give containers a GPU' "Docker: the device plugin's specification alone"

# CRI-O.
new
put /etc/crio/crio.conf '[crio.runtime]'
is_way 1 'CRI-O: *: not reached, because hooks.d does not contain the hook*' 'CRI-O, nothing done'
put /etc/containers/oci/hooks.d/cuarbiter.json "$hook"
is_way 1 'CRI-O: *: not reached, because hooks_dir does not name the folder with the hook
    name /etc/containers/oci/hooks.d in hooks_dir of crio.conf' 'CRI-O, the other folder'
put /etc/crio/crio.conf.d/10-hooks.conf '[crio.runtime]
hooks_dir = ["/etc/containers/oci/hooks.d"]'
is_way 0 'CRI-O: *: reached*' 'CRI-O, the folder in a drop-in'
for number in 98 31 97 33 96 35 95 37 94; do
    put /etc/crio/crio.conf.d/$number-hooks.conf "[crio.runtime]
hooks_dir = [\"/somewhere/$number\"]"
done
put /etc/crio/crio.conf.d/99-hooks.conf '[crio.runtime]
hooks_dir = ["/etc/containers/oci/hooks.d"]'
is_way 0 'CRI-O: *: reached*' 'CRI-O, the last of its drop-ins counts'

# A link of the node leads inside it.
ln -s /secret "$node/etc/containerd"
put /secret/config.toml 'version = 3
[plugins.x.containerd.runtimes.nvidia.options]
BinaryName = "nvidia-container-runtime"'
is_way 1 '*containerd 2.0: the runtime nvidia*' 'a link of the node'

run node check --json --sysroot "$node"
is "$(echo "$out" | jq -c '[.hook, .hooks_d, (.ways[] | [.engine, .reached])]')" \
    '[null,true,["CRI-O","yes"],["containerd","no"]]' 'JSON'
run node on --json
is "$rc" 2 '--json of another word is usage'
run node on now
like "$rc:$err" '2:*only print-oci takes a FILE*' 'a word after the action'
run node check --sysroot "$tmp/nowhere"
is "$rc" 2 'a root that is not there is usage'

# Engines of this machine are asked: 1.6 knows no CDI whatever its configuration says.
mkdir "$tmp/bin"
for row in '1.6.20~ds1|not reached, because before 1.7 it does not support CDI' '1.7.24|*contain*hook*' '2.1.9|*contain*hook*'; do
    printf '#!/bin/sh\ncase $1 in --version) echo containerd github.com/containerd/containerd %s abc ;;
*) echo version = 2; echo %s; echo enable_cdi = true ;; esac\n' "${row%%|*}" "'$cri'" >"$tmp/bin/containerd"
    chmod +x "$tmp/bin/containerd"
    got=$(unshare -m --propagation private sh -c 'mount -t tmpfs none /run && mkdir /run/cdi &&
        echo "{}" >/run/cdi/k8s.device-plugin.nvidia.com-gpu.json && PATH=$1:$PATH exec "$2" node check --json' sh "$tmp/bin" "$cuarbiter" 2>/dev/null) ||
        : # not all is reached
    like "$(echo "$got" | jq -r '.ways[] | select(.engine == "containerd" and (.way | startswith("pods by CDI"))) | .version + " " + .reached + ", because " + .why' | sed 's/ no, / not reached, /')" \
        "${row%%.*}.*${row#*|}*" "asked: containerd ${row%%|*}"
done
# One that prints no configuration: its files are read, the drop-ins too.
printf '#!/bin/sh\n[ "$1" = --version ] && echo containerd github.com/containerd/containerd 1.7.24 abc\n' >"$tmp/bin/containerd"
got=$(unshare -m --propagation private sh -c 'mount -t tmpfs none /run && mkdir /run/cdi && mount -t tmpfs none /etc && mkdir -p /etc/containerd/conf.d &&
    echo version = 2 >/etc/containerd/config.toml && echo enable_cdi = true >/etc/containerd/conf.d/cdi.toml &&
    echo "{}" >/run/cdi/k8s.device-plugin.nvidia.com-gpu.json && PATH=$1:$PATH exec "$2" node check --json' sh "$tmp/bin" "$cuarbiter" 2>/dev/null) || :
is "$(echo "$got" | jq -r '.ways[] | select(.engine == "containerd") | .why')" 'a CDI specification does not contain the hook' \
    'an engine that prints no configuration: its drop-ins'
# A Docker that does not run is shown, and does not count beside a containerd that runs; programs are found with whatever PATH.
got=$(unshare -m --propagation private sh -c 'mount -t tmpfs none /run && mkdir /run/cdi && mount -t tmpfs none /etc && mount -t tmpfs none /usr/local/sbin &&
    mkdir -p /etc/containerd /etc/docker && printf "version = 2\nenable_cdi = true\n" >/etc/containerd/config.toml &&
    echo "{\"runtimes\": {\"nvidia\": {\"path\": \"nvidia-container-runtime\"}}}" >/etc/docker/daemon.json && echo "$3" >/run/cdi/k8s.device-plugin.nvidia.com-gpu.json &&
    cp "$1/containerd" /usr/local/sbin/ && printf "#!/bin/sh\nexit 1\n" >/usr/local/sbin/docker && chmod 755 /usr/local/sbin/docker && PATH=/nowhere exec "$2" node check --json' \
    sh "$tmp/bin" "$cuarbiter" "$hook" 2>/dev/null) || :
is "$(echo "$got" | jq -r '.ways[] | select(.engine != "podman") | [.engine, (.version // "" | .[:3]), (.runs | tostring), .reached] | join(" ")')" \
    'containerd 1.7 true yes
Docker  false unknown
Docker  false no' 'an engine that does not run; PATH of another image'
# k3s beside Docker: its containerd is not in PATH, Docker's runs no pods, and the file to edit is the template.
own=/var/lib/rancher/k3s
of_k3s() { # COMMAND: what the node's own containerd and the template are
    unshare -m --propagation private sh -c 'mount -t tmpfs none /run && mount -t tmpfs none /etc && mount -t tmpfs none /var/lib &&
    mkdir -p /etc/containerd "$3/data/current/bin" "$3/agent/etc/containerd" &&
    printf "version = 2\n%s\n[plugins.x.containerd.runtimes.\"nvidia\".options]\nBinaryName = \"/usr/bin/nvidia-container-runtime\"\n" "$4" >"$3/agent/etc/containerd/config.toml" &&
    printf "#!/bin/sh\ncase \$1 in --version) echo containerd github.com/k3s-io/containerd v1.7.27-k3s1 abc ;; -c) cat \"\$2\" ;; *) exit 1 ;; esac\n" >"$3/data/current/bin/containerd" &&
    chmod 755 "$3/data/current/bin/containerd" && eval "$5" && PATH=$1:$PATH exec "$2" node check --json' sh "$tmp/bin" "$cuarbiter" "$own" "$cri" "$1" 2>/dev/null |
        jq -r '.ways[] | select(.engine == "containerd") | .engine + " " + .version + ": " + .way + ": " + .reached + "\n    " + .command'
}
printf '#!/bin/sh\ncase $1 in --version) echo containerd github.com/containerd/containerd 2.1.4 abc ;; *) cat /etc/containerd/config.toml ;; esac\n' >"$tmp/bin/containerd"
docker='echo "disabled_plugins = [\"cri\"]" >/etc/containerd/config.toml'
section='[[]plugins."io.containerd.nri.v1.nri"]'
like "$(of_k3s "$docker")" "containerd 1.7: the runtime nvidia, mode auto: no
    add disable = false in a new section $section of $own/agent/etc/containerd/config.toml.tmpl (a new file begins with {{ template \"base\" . }}), restart k3s, then *" \
    "k3s beside Docker"
like "$(of_k3s ':')" "*containerd 1.7: the runtime nvidia*$own/agent/etc/containerd/config.toml.tmpl *" 'beside a containerd without a file'
like "$(of_k3s "$docker; echo '[${section#???}' >$own/agent/etc/containerd/config.toml.tmpl")" \
    "*
    set disable = false in $section of $own/agent/etc/containerd/config.toml.tmpl, restart k3s, then *" 'its template has the section'
like "$(of_k3s 'printf "version = 2\n%s\n[plugins.x.containerd.runtimes.nvidia.options]\nBinaryName = \"nvidia-container-runtime.cdi\"\n" "$4" >/etc/containerd/config.toml')" \
    '*containerd 2.1: the runtime nvidia, mode cdi*' "the node's own containerd runs pods: k3s's files are left over"
# One that hangs is not waited for.
printf '#!/bin/sh\nexec sleep 60\n' >"$tmp/bin/containerd"
PATH=$tmp/bin:$PATH timeout 40 "$cuarbiter" node check --json >"$tmp/out" 2>&1
is "$(($? == 124))" 0 'an engine that hangs'
finish
