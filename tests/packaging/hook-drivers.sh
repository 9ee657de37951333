#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter hook gives containers the drivers that were brought to the node: a program that ends in 35
# runs, in containers of runc, crun and podman; later changes of the node's store do not reach them.
# Drivers and the CUDA runtime are fakes.
# shellcheck disable=SC1091,SC2016,SC2034,SC2086,SC2154
export CUARBITER_MKNOD=kept # containers have a /dev of their own
. "$(dirname "$0")/../fixtures/images.sh"
. "$(dirname "$0")/bundles.sh"
. "$(dirname "$0")/../fixtures/brought.sh"
need_runtimes
need_tool busybox strip
need_files
strip --strip-unneeded "$files/cuarbiter" "$files/cuarbiter-answer" "$files/libcuarbiter.so"
unset CUARBITER_DRIVERS CUARBITER_POLICY CUARBITER_TRIAL CUARBITER_LOG
kmd=535.161.07 list=535,550,570,575,580,590
lib=/usr/lib/$(uname -m)-linux-gnu
machine=$tmp/machine home=$files
make_root "$machine" --kmd "$kmd" --gpu 'NVIDIA A100-SXM4-80GB' --host-umd "$kmd" >/dev/null
chmod -R a+rX "$machine" "$tmp/app"

# An image: this system's libc and loader, and busybox.
root=$tmp/root
mkdir -p "$root/etc" "$root/proc" "$root/dev" "$root/sys" "$root/bin" "$root/tmp" "$root/run"
chmod 1777 "$root/tmp"
ldd "$tmp/app/program" "$files/cuarbiter" "$fixtures"/fake/*.so | tr ' \t' '\n\n' | grep '^/.*[^:]$' | sort -u | while read -r file; do
    mkdir -p "$root${file%/*}" && cp -L "$file" "$root$file"
done
cp "$(command -v busybox)" "$root/bin/busybox"
for name in sh cat ls grep touch sleep test; do ln -s busybox "$root/bin/$name"; done

fresh() { # what an earlier container left
    rm -rf "${root:?}/opt" "$root/etc/ld.so.preload" "$root/run" "$root/tmp" "$tmp/log"
    mkdir -m 1777 "$root/run" "$root/tmp"
}
hook=$(hook "$files" | sed "s,\"hook\"\],\"hook\"\,\"--log\"\,\"$tmp/log\"],")
image=$(printf '.mounts += [{destination: "/machine", type: "bind", source: "%s", options: ["bind", "ro"]},
    {destination: "/app", type: "bind", source: "%s", options: ["bind", "ro"]}]
    | .process.env += ["CUARBITER_SYSROOT=/machine", "FAKE_ROOT=/machine", "LD_LIBRARY_PATH=/machine%s"]' "$machine" "$tmp/app" "$lib")
run='/app/program /app/libcudart.so.13'
program=$(says "$run")
brought=/opt/cuarbiter/drivers/590.48.01/libcuda.so.590.48.01
runs="0 $brought" ends="35 /machine$lib/libcuda.so.$kmd"
get() { # RUNTIME FILTER...: what a container with this program says
    r=$1
    shift
    fresh
    bundle b "$gpu" "$hook" "$image" "$program" "$@"
    start $r b 2>"$tmp/err"
}
log() { sed 's/^[^:]*: //' "$tmp/log"; }
capability() { printf '.process.capabilities |= map_values(. + ["%s"])' "$1"; }

for r in $runtimes; do
    rm -rf "$files/drivers"
    that "$r: nothing was brought" "$(get $r)" "$ends"
    that "$r: nothing was brought: the log" "$(log)" added
    bring 590.48.01 "branches=$list"
    that "$r: a driver that was brought to the node" "$(get $r)" "$runs"
    that "$r: the log names it" "$(log)" 'added; drivers: 590.48.01'
    that "$r: not root" "$(get $r '.process.user = {uid: 1000, gid: 1000}')" "$runs"
    that "$r: a root that is read-only" "$(get $r '.root.readonly = true')" "$runs"
    that "$r: a container that wants none" "$(get $r '.process.env += ["CUARBITER_DRIVERS=no"]')" "$ends"
    that "$r: a program of CUDA 12" "$(get $r '.process.args = ["/app/program", "/app/libcudart.so.12"]')" "0 /machine$lib/libcuda.so.$kmd"
    that "$r: a user namespace in which the node's root is root" "$(get $r '.linux.namespaces += [{type: "user"}]
        | .linux.uidMappings = [{containerID: 0, hostID: 0, size: 65536}] | .linux.gidMappings = .linux.uidMappings')" "$runs"
    like "$(get $r "$(says 'grep " /opt/cuarbiter/drivers/590.48.01 " /proc/self/mountinfo; touch /opt/cuarbiter/drivers/590.48.01/x 2>&1
        touch /opt/cuarbiter/drivers/x 2>&1')")" '* ro,nosuid,nodev*Read-only*Read-only*' "$r: a read-only mount"
    that "$r: without a GPU no driver" "$(fresh; bundle b "$hook" "$image" "$program"; start $r b 2>/dev/null)" "$ends"

    # What 'driver try' found on the node counts in its containers.
    rm -rf "$files/drivers"
    bring 590.48.01 "nonote,branches=$list"
    that "$r: nothing shows that it runs" "$(get $r)" "$ends"
    CUARBITER_SYSROOT=$machine "$files/cuarbiter" driver try >/dev/null 2>"$tmp/tried" || not_ok 'tried' "$(cat "$tmp/tried")"
    that "$r: one that was tried on the node" "$(get $r)" "$runs"
    rm -rf "$files/drivers"
    bring 590.48.01 "branches=$list"

    # From a mount of the node's file system such a container could open the rest of it.
    for name in CAP_DAC_READ_SEARCH CAP_SYS_ADMIN; do
        that "$r: with $name none" "$(get $r "$(capability $name)")" "$ends"
        that "$r: with $name none: the log" "$(log)" "added; drivers: none: by a Linux capability the container could open the node's files"
        that "$r: with $name no mount" "$(get $r "$(capability $name)" "$(says 'grep -c drivers /proc/self/mountinfo')")" 0
    done

    # A container keeps what it had when it started: its ranks must not differ.
    for row in 'remove|remove 590.48.01' 'add|add'; do
        rm -f "$tmp/out"
        : >"$tmp/app/wait"
        bring 590.48.01 "branches=$list"
        get $r "$(says "$run; while [ -e /app/wait ]; do sleep 0.1; done; $run; ls /opt/cuarbiter/drivers")" >"$tmp/out" &
        child=$!
        for _ in $(seq 100); do [ -s "$tmp/out" ] && break; sleep 0.1; done
        case ${row%%|*} in
        remove) "$files/cuarbiter" driver remove 590.48.01 >/dev/null ;;
        add) bring 580.65.06 "branches=$list" ;;
        esac
        rm "$tmp/app/wait"
        wait $child
        that "$r: a later $row does not reach a container that runs" "$(cat "$tmp/out")" "$runs
$runs
590.48.01
590.48.01.whole"
        case ${row%%|*} in
        remove) that "$r: and a new one has it no more" "$(get $r)" "$ends" ;;
        add)
            that "$r: a new one has it" "$(get $r)" '0 /opt/cuarbiter/drivers/580.65.06/libcuda.so.580.65.06'
            that "$r: the log names both" "$(log | tr ' ' '\n' | sort | tr '\n' ' ')" '580.65.06 590.48.01 added; drivers: '
            ;;
        esac
        rm -rf "$files/drivers"
    done

    # What others than root could change.
    bring 590.48.01 "branches=$list"
    chmod o+w "$files/drivers"
    that "$r: a store that others can write" "$(get $r)" "$ends"
    that "$r: a store that others can write: the log" "$(log)" 'added; drivers: none: not used: users other than its owner can change it'
    chmod o-w "$files/drivers"
    chmod o+w "$files/drivers/590.48.01/libcuda.so.590.48.01"
    that "$r: a driver that others can write" "$(get $r)" "$ends"
    that "$r: a driver that others can write: the log" "$(log)" 'added'
    chmod o-w "$files/drivers/590.48.01/libcuda.so.590.48.01"
    chown 1000 "$files/drivers"
    that "$r: another user's store" "$(get $r)" "$ends"
    chown 0 "$files/drivers"
    # A container whose user namespace does not know the node's root could not tell whose they are.
    fresh
    bundle b "$gpu" "$hook" "$image" "$program" '.linux.namespaces += [{type: "user"}]
        | .linux.uidMappings = [{containerID: 0, hostID: 100000, size: 65536}] | .linux.gidMappings = .linux.uidMappings'
    mkdir -p "$root/opt/cuarbiter"
    : >"$root/etc/ld.so.preload"
    : >"$tmp/log"
    chmod 666 "$tmp/log"
    that "$r: a user namespace without the node's root" "$(start $r b 2>"$tmp/err")" "$ends"
    that "$r: a user namespace without the node's root: the log" "$(log)" 'added; drivers: none: not used: it belongs to another user'
done

# A package's files lie below /usr, and its drivers in /var/lib/cuarbiter; so they do where a DaemonSet
# replaces the folder of the files.
cat >"$tmp/packaged" <<END
#!/bin/sh
mount -t tmpfs none /var/lib && mkdir /var/lib/cuarbiter && cp -a "$tmp/store" /var/lib/cuarbiter/drivers &&
    mount --bind "$files" /usr/local/games && exec "\$@"
END
chmod +x "$tmp/packaged"
rm -rf "$files/drivers" "$tmp/store"
bring 590.48.01 "branches=$list"
mv "$files/drivers" "$tmp/store"
for place in /usr/local/games "$files"; do
    fresh
    bundle b "$gpu" "$(echo "$hook" | sed "s,$files/cuarbiter,$place/cuarbiter,; s,\"hook\"\,,\"hook\"\,\"--dir\"\,\"$place\"\,,")" "$image" "$program"
    that "files in ${place##*/}, drivers in /var/lib/cuarbiter" "$(cd "$tmp/b" && unshare -m --propagation private "$tmp/packaged" runc run "cuarbiter-$$-p" </dev/null 2>"$tmp/err")" "$runs"
done

# Only where it can serve: not on a node whose own driver is as new.
cat >"$tmp/with-module" <<'END'
#!/bin/sh
mount -t tmpfs none /sys/module && mkdir /sys/module/nvidia && echo "$1" >/sys/module/nvidia/version && shift && exec "$@"
END
chmod +x "$tmp/with-module"
bring 590.48.01 "branches=$list"
for row in '535.161.07|590.48.01' "590.48.01|none: the node's own is as new or newer" "595.45.04|none: the node's own is as new or newer"; do
    fresh
    bundle b "$gpu" "$hook" "$image" "$(says 'grep -c drivers /proc/self/mountinfo')"
    [ "${row#*|none}" = "$row" ] && mounts=1 || mounts=0
    that "a node with ${row%%|*}" "$(cd "$tmp/b" && unshare -m --propagation private "$tmp/with-module" "${row%%|*}" runc run "cuarbiter-$$-m" </dev/null 2>"$tmp/err")" $mounts
    that "a node with ${row%%|*}: the log" "$(log)" "added; drivers: ${row#*|}"
done

# Where a mount fails the log names what the container has: the others, of which its programs take one.
bring 580.65.06 "branches=$list"
traced=$(echo "$hook" | sed "s,\"$files/cuarbiter\",\"$tmp/tracer\",")
trace() { # WHICH: the mounts that fail
    printf '#!/bin/sh\nexec strace -fqq -o "%s" -e trace=move_mount -e inject=move_mount:error=EIO:when=%s "%s" "$@"\n' \
        "$tmp/trace" "$1" "$files/cuarbiter" >"$tmp/tracer"
    chmod +x "$tmp/tracer"
    fresh
    bundle b "$gpu" "$traced" "$image" "$program"
    start runc b 2>"$tmp/err"
}
if tracing 'a mount that fails'; then
    trace 99 >"$tmp/out"
    last=$(($(grep -c 'move_mount(' "$tmp/trace") - 1)) # then comes that of /etc/ld.so.preload
    both=$(log | sed 's/.*drivers: //')
    for row in "$((last - 1))|${both#* }" "$last|${both% *}"; do
        that "one of two mounts fails: ${row#*|} is left" "$(trace "${row%|*}"; log)" \
            "0 /opt/cuarbiter/drivers/${row#*|}/libcuda.so.${row#*|}
added; drivers: ${row#*|}"
    done
    that 'both mounts fail' "$(trace "$((last - 1))..$last"; log)" "$ends
added; drivers: none: the mount of a driver failed: Input/output error"
fi
"$files/cuarbiter" driver remove 580.65.06 >/dev/null

# The engine that most people have here.
if [ "${CUARBITER_ENGINES:-}" = no ] || ! command -v podman >/dev/null; then
    missing 'podman' 'no podman'
    finish
fi
need_podman
mkdir "$tmp/hooks.d" "$tmp/dev"
: >"$tmp/dev/nvidiactl"
"$files/cuarbiter" node print >"$tmp/hooks.d/cuarbiter.json"
for r in $runtimes; do
    fresh
    that "podman with $r: a driver that was brought to the node" "$(engine $r --hooks-dir "$tmp/hooks.d" run --rm -v "$machine:/machine:ro" -v "$tmp/app:/app:ro" \
        -v "$tmp/dev/nvidiactl:/dev/nvidiactl" -e CUARBITER_SYSROOT=/machine -e FAKE_ROOT=/machine -e LD_LIBRARY_PATH="/machine$lib" \
        --rootfs "$root" $run 2>"$tmp/err")" "$runs"
done
finish
