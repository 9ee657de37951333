# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC1091,SC2016,SC2034,SC2086,SC2154
# For hook.sh and hook-node.sh: a root with a newer driver in its image than the node's, and the filters
# machine, program, node (of the driver) and hook, which put a container on it.
export CUARBITER_MKNOD=kept # layers are made with it, and containers have a /dev of their own
. "$(dirname "$0")/../fixtures/images.sh"
. "$(dirname "$0")/bundles.sh"
need_runtimes
need_files
need_drivers 535.261.03 555.58.02
need_cudart 11.2.152
need_root bullseye
command -v strip >/dev/null && strip --strip-unneeded "$files/cuarbiter" "$files/cuarbiter-answer" "$files/libcuarbiter.so"
root=$tmp/root
copy_root bullseye "$root"
lay_out "$root" 555.58.02 535.261.03
mkdir "$root/app"
cp "$programs"/* "$cudarts/11.2.152/libcudart.so.11.2.152" "$root/app/"
hook=$(hook "$files")
kernel_hook 535.261.03
machine='.process.env += ["LD_PRELOAD=/libstandin.so", "STANDIN_KMD=535.261.03", "STANDIN_ROOT=/geforce"]
    | .hooks.prestart = [{path: "'$tmp/kernel-hook'"}]'
program='.process.args = ["/app/init-cudart", "/app/libcudart.so.11.2.152"]'
node=$(printf '.mounts += [{destination: "/dev/nvidiactl", type: "bind", source: "%s", options: ["bind"]}]' \
    "$tmp/nvidiactl")
: >"$tmp/nvidiactl" # not in the root, whose /dev the runtime hides
fresh() { # what an earlier container left
    rm -rf "${root:?}/opt/cuarbiter" "$root/etc/ld.so.preload"
}
answer() { word cudaGetDeviceCount "$(start "$1" b 2>&1)"; }
