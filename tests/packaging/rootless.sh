#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A rootless engine: podman of a user without rights. In the container that user is root, and what is
# the host's root's, such as its driver and cuarbiter's files, belongs to nobody.
# shellcheck disable=SC1091,SC2086,SC2154
. "$(dirname "$0")/../fixtures/images.sh"
. "$(dirname "$0")/bundles.sh"
[ "$(id -u)" = 0 ] || cannot 'not root, who makes the user'
need_tool podman runc setpriv
need_files
need_drivers 535.261.03 555.58.02
need_root bullseye
chmod 755 "$tmp"
cd "$tmp" || exit 99 # the user may not enter every clone

home=$tmp/home root=$tmp/home/root
mkdir -p "$home/run"
cp -a "$roots/bullseye" "$root" 2>/dev/null # device nodes are none of the user's
rm -rf "${root:?}/dev" && mkdir "$root/dev"
cp "$fixtures/libstandin.so" "$root/"
cp -r "$geforce" "$root/geforce"
lay_out "$root" 555.58.02 none
mkdir "$root/app"
cp "$programs"/init-dlopen "$programs"/init-linked "$root/app/"
: >"$tmp/nvidiactl"
cat >"$home/containers.conf" <<'CONF'
[containers]
netns = "none"
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
CONF
# crun would make rules of a cgroup2, which this user may not.
sed 's/"runc"/"crun"/; s/^netns.*/&\ncgroups = "disabled"/' "$home/containers.conf" >"$home/crun.conf"
printf '[storage]\ndriver = "vfs"\ngraphroot = "%s"\nrunroot = "%s"\n' "$home/graph" "$home/run/pod" >"$home/storage.conf"
chown -R 1000:1000 "$home"
kernel_hook 535.261.03
chmod 700 "$home/run"

lib=/usr/lib/x86_64-linux-gnu
host="-v $tmp/nvidiactl:/dev/nvidiactl -e STANDIN_KMD=535.261.03 -e STANDIN_ROOT=/geforce"
for file in "$drivers/535.261.03"/lib*.so.535.261.03; do
    cp "$file" "$tmp/" && host="$host -v $tmp/${file##*/}:$lib/${file##*/}:ro"
done
host="$host -v $tmp/libcuda.so.535.261.03:$lib/libcuda.so.1:ro"
# What podman leaves to keep its namespaces, for the next call and after the test.
let_go() {
    [ ! -s "$home/run/libpod/tmp/pause.pid" ] || kill "$(cat "$home/run/libpod/tmp/pause.pid")" 2>/dev/null
    rm -f "$home/run/libpod/tmp/pause.pid"
}
trap 'code=$?; let_go; (exit $code); cua_cleanup' EXIT
global='' before='' conf=containers.conf
container() { # ARGUMENT... COMMAND
    $before setpriv --reuid 1000 --regid 1000 --clear-groups env -u CONTAINERS_CONF HOME="$home" \
        XDG_RUNTIME_DIR="$home/run" CONTAINERS_CONF="$home/$conf" \
        CONTAINERS_STORAGE_CONF="$home/storage.conf" \
        podman $global --hooks-dir "$tmp/kernel.d" run --rm $host "$@" 2>&1
}
at() { container "$@" --rootfs "$root" sh -c 'exec "$0"' "/app/init-$p"; }
said=$(container --rootfs "$root" id -u | tail -n 1)
[ "$said" = 0 ] || skip "no rootless container here: $said"
that "the host's root is nobody there" "$(container -v "$files:/opt/cuarbiter:ro" --rootfs "$root" \
    stat -c %u /opt/cuarbiter/libcuarbiter.so | tail -n 1)" 65534
shim=/opt/cuarbiter/libcuarbiter.so
for p in dlopen linked; do
    that "$p: without cuarbiter" "$(word cuInit "$(at -e LD_PRELOAD=/libstandin.so)")" 803
    that "$p: volume and variable" "$(word cuInit "$(at -v "$files:/opt/cuarbiter:ro" \
        -e LD_PRELOAD="$shim:/libstandin.so")")" 100
    that "$p: volume and ld.so.preload" "$(word cuInit "$(at -v "$files:/opt/cuarbiter:ro" \
        -v "$files/ld.so.preload:/etc/ld.so.preload:ro" -e LD_PRELOAD=/libstandin.so)")" 100
    that "$p: read-only" "$(word cuInit "$(at --read-only -v "$files:/opt/cuarbiter:ro" \
        -e LD_PRELOAD="$shim:/libstandin.so")")" 100
done
# The hook, whose rights are the user's own.
mkdir "$tmp/hooks.d"
"$files/cuarbiter" node print >"$tmp/hooks.d/cuarbiter.json"
chmod 755 "$tmp/hooks.d"
global="--hooks-dir $tmp/hooks.d"
for r in runc crun; do
    if [ $r = crun ]; then
        let_go
        before=under_cgroup2 conf=crun.conf
        command -v crun >/dev/null || { missing 'crun: the hook' 'no crun here' && continue; }
    fi
    for p in dlopen linked; do
        that "$r, $p: the hook" "$(word cuInit "$(at -e LD_PRELOAD=/libstandin.so)")" 100
        that "$r, $p: the hook, read-only" "$(word cuInit "$(at --read-only -e LD_PRELOAD=/libstandin.so)")" 100
        that "$r, $p: the hook, CUARBITER_POLICY=off" "$(word cuInit "$(at -e CUARBITER_POLICY=off -e LD_PRELOAD=/libstandin.so)")" 803
        # The node's root is nobody in here, and its switch is obeyed.
        mkdir -m 755 "$files/site"
        echo '# nothing' >"$files/site/cuarbiter.conf"
        that "$r, $p: the hook, an empty switch" "$(word cuInit "$(at -e LD_PRELOAD=/libstandin.so)")" 100
        echo disabled >"$files/site/cuarbiter.conf"
        that "$r, $p: the hook, a switch that says disabled" "$(word cuInit "$(at -e LD_PRELOAD=/libstandin.so)")" 803
        rm -r "$files/site"
        mv "$files/libcuarbiter.so" "$files/away"
        that "$r, $p: the hook, a file is missing: as bare" "$(word cuInit "$(at -e LD_PRELOAD=/libstandin.so)")" 803
        mv "$files/away" "$files/libcuarbiter.so"
    done
done
let_go
global='' before='' conf=containers.conf
# What users run into: a folder that only another user can read.
chmod 700 "$files"
like "$(at -v "$files:/opt/cuarbiter:ro" -e LD_PRELOAD="$shim:/libstandin.so")" '*cannot be preloaded*' \
    'a folder of mode 700: ld.so says so'
finish
