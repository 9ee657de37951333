#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A root file system that is laid out to mislead the hook: the container starts as without it, and
# nothing outside of the container changes.
# shellcheck disable=SC1091,SC2016,SC2034,SC2086,SC2154
export CUARBITER_MKNOD=kept # containers have a /dev of their own
. "$(dirname "$0")/../fixtures/images.sh"
. "$(dirname "$0")/bundles.sh"
need_runtimes
need_files
need_root bullseye
strip --strip-unneeded "$files/cuarbiter" "$files/cuarbiter-answer" "$files/libcuarbiter.so"
root=$tmp/root
copy_root bullseye "$root"
rm -rf "$root/opt" && cp -a "$root/etc" "$tmp/etc"
hook=$(hook "$files" | sed "s,\"hook\"\],\"hook\"\,\"--log\"\,\"$tmp/log\"],")
script='echo started; grep -c r-xp.*libcuarbiter.so /proc/self/maps'
outside=$tmp/outside
mkdir "$outside" "$tmp/volume"
echo theirs >"$outside/file"
state() { # of what must not change
    (cd "$outside" && find . -printf '%p %y %s %m %T@\n' | sort)
    (cd "$tmp/volume" && find . -printf '%p %y %s %m %T@\n' | sort)
    cksum /etc/passwd
    ls -d /opt/cuarbiter /etc/ld.so.preload 2>/dev/null
    sort /proc/self/mountinfo | grep -v ' /tmp/cuarbiter-test.*/pod/' | cksum
}
volume() { printf '.mounts += [{destination: "%s", type: "bind", source: "%s", options: ["%s"]}]' "$2" "$1" "${3:-bind}"; }

# CASE|what makes it, in the root|a filter|1: it is served anyway
cases=$(cat <<'END'
plain|mkdir opt||1
no /opt|true||1
/opt leads outside|ln -s $outside opt||0
/opt leads up and outside|ln -s ../../../../../../../../../../../..$outside opt||0
/opt leads to another folder of the image|mkdir -p srv && ln -s /srv opt||1
/opt leads to /proc|ln -s /proc opt||0
/opt is a file|echo >opt||0
the folder leads to /proc|mkdir opt && ln -s /proc opt/cuarbiter||0
the folder leads to /etc|mkdir opt && ln -s /etc opt/cuarbiter||0
the folder leads outside|mkdir opt && ln -s $outside opt/cuarbiter||0
the folder leads to an empty one|mkdir -p opt srv/empty && ln -s /srv/empty opt/cuarbiter||0
the folder is a pipe|mkdir opt && mkfifo opt/cuarbiter||0
the folder has files|mkdir -p opt/cuarbiter && echo x >opt/cuarbiter/x||0
no /etc|rm -rf etc||0
/etc leads outside|rm -rf etc && ln -s $outside etc||0
the preload file leads outside|ln -s $outside/file etc/ld.so.preload||0
the preload file leads to a missing one outside|ln -s $outside/none etc/ld.so.preload||0
the preload file is a folder|mkdir etc/ld.so.preload||0
the preload file is a pipe|mkfifo etc/ld.so.preload||0
the preload file is a device|mknod etc/ld.so.preload c 1 3||0
the preload file has a zero in it, and a last line that does not end|printf '/a.so\0/b.so\n/c.so' >etc/ld.so.preload||0
the preload file is of 1 GB|truncate -s 1G etc/ld.so.preload||0
/opt is not for everybody|mkdir -m 700 opt||0
/opt leads into a folder that is not for everybody|mkdir -p srv/opt && chmod 700 srv && ln -s /srv/opt opt||0
the preload file leads to one in the image|echo >etc/other && ln -s other etc/ld.so.preload||0
/etc is a pipe|rm -rf etc && mkfifo etc||0
/etc leads to /proc|rm -rf etc && ln -s /proc etc||0
/opt is a device|mknod opt c 1 3||0
the loader is a pipe|mv lib64/ld-linux-x86-64.so.2 lib/ld-linux-aarch64.so.1 away 2>/dev/null; mkfifo lib64/ld-linux-x86-64.so.2; mkfifo lib/ld-linux-aarch64.so.1; true||0
the loader leads outside|mv lib64/ld-linux-x86-64.so.2 lib/ld-linux-aarch64.so.1 away 2>/dev/null; ln -s $outside/file lib64/ld-linux-x86-64.so.2; ln -s $outside/file lib/ld-linux-aarch64.so.1; true||0
the libc is of 1 GB of zeros|mv lib/*-linux-gnu/libc.so.6 away; truncate -s 1G lib/$(uname -m)-linux-gnu/libc.so.6||0
a volume over /etc|true|/etc|0
a volume over /opt|mkdir opt|/opt|0
a volume over the folder|mkdir -p opt/cuarbiter|/opt/cuarbiter|0
no loader|mv lib/ld-linux-aarch64.so.1 lib64/ld-linux-x86-64.so.2 away 2>/dev/null; true||0
another libc|mv lib/*-linux-gnu/libc.so.6 away||0
END
)
fresh() {
    rm -rf "${root:?}/opt" "$root/srv" "${root:?}/etc" "$tmp/log"
    cp -a "$tmp/etc" "$root/etc"
    for file in "$root"/away/*; do
        [ -e "$file" ] || [ -L "$file" ] || continue
        case $file in
        */libc.so.6) rm -f "$root/lib/$(uname -m)-linux-gnu/libc.so.6" ;;
        *) rm -f "$root/lib64/ld-linux-x86-64.so.2" "$root/lib/ld-linux-aarch64.so.1" ;;
        esac
        case $file in
        */libc.so.6) mv "$file" "$root/lib/$(uname -m)-linux-gnu/" ;;
        */ld-linux-x86-64.so.2) mv "$file" "$root/lib64/" ;;
        */ld-linux-aarch64.so.1) mv "$file" "$root/lib/" ;;
        esac
    done
}
mkdir "$root/away"
static=$(command -v busybox)
cp "$static" "$root/busybox"
userns='.linux.namespaces += [{type: "user"}]
    | .linux.uidMappings = [{containerID: 0, hostID: 0, size: 65536}] | .linux.gidMappings = .linux.uidMappings'
for r in $runtimes; do
    while IFS='|' read -r what make where served; do
        filter=.
        [ -z "$where" ] || filter=$(volume "$tmp/volume" "$where")
        fresh
        (cd "$root" && eval "$make")
        # A static shell: it runs whatever there is of libraries.
        shell=$(printf '.process.args = ["/busybox", "sh", "-c", %s]' '"echo started; [ ! -e /opt/cuarbiter/libcuarbiter.so ] || tail -n 1 /etc/ld.so.preload"')
        bundle b "$gpu" "$filter" "$shell"
        bare=$(start $r b 2>&1)
        before=$(state)
        bundle b "$gpu" "$filter" "$shell" "$hook"
        [ "$served" = 0 ] || bare="$bare
/opt/cuarbiter/libcuarbiter.so"
        that "$r: $what" "$(start $r b 2>&1)" "$bare"
        that "$r: $what: outside it is as it was" "$(state)" "$before"
        # The same in a user namespace, and with a root that is read-only.
        [ $r = ${runtimes%% crun*} ] || continue
        for more in "$userns" '.root.readonly = true'; do
            case $more in *readonly*) name=read-only ;; *) name='user namespace' ;; esac
            fresh
            (cd "$root" && eval "$make")
            bundle b "$gpu" "$filter" "$shell" "$more"
            plain=$(start $r b 2>&1)
            before=$(state)
            bundle b "$gpu" "$filter" "$shell" "$more" "$hook"
            said=$(start $r b 2>&1)
            that "$r: $what, $name" "${said%%
/opt/cuarbiter/libcuarbiter.so}" "$plain"
            that "$r: $what, $name: outside it is as it was" "$(state)" "$before"
        done
    done <<END
$cases
END
done

# What runc masks, after its hooks: ld.so complains in each program of a library that is not there.
for r in $runtimes; do
    for path in /opt /opt/ /opt/cuarbiter /opt/cuarbiter/libcuarbiter.so; do
        fresh
        mkdir "$root/opt"
        bundle b "$gpu" ".linux.maskedPaths += [\"$path\"]" "$hook" "$(says '/bin/echo started')"
        that "$r: $path is masked" "$(start $r b 2>&1)" started
    done
    bundle b "$gpu" '.linux.maskedPaths += ["/op", "/opt/cuarbiters"]' "$hook" "$(says '/bin/echo started')"
    start $r b >/dev/null 2>&1
    like "$(tail -n 1 "$tmp/log")" '*: added' "$r: others are masked"
done

# What others write beside it while it runs: links and folders that change places.
fresh
cat >"$tmp/flip.py" <<'PY'
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
pairs = [(f"{sys.argv[1]}/{a}".encode(), f"{sys.argv[1]}/{b}".encode()) for a, b in (p.split(":") for p in sys.argv[2:])]
end = time.time() + 60
while os.getppid() > 1 and time.time() < end:
    for a, b in pairs:
        libc.renameat2(-100, a, -100, b, 2)
PY
for r in $runtimes; do
    fresh
    mkdir -p "$root/opt/cuarbiter"
    ln -sfn "$outside" "$root/evil-opt"
    ln -sfn "$outside" "$root/opt/evil"
    ln -sfn "$outside/file" "$root/etc/evil"
    : >"$root/etc/ld.so.preload"
    before=$(state)
    python3 "$tmp/flip.py" "$root" opt:evil-opt opt/cuarbiter:opt/evil etc/ld.so.preload:etc/evil &
    child=$!
    bundle b "$gpu" "$hook" '.process.args = ["/busybox", "echo", "started"]'
    for n in $(seq 20); do start $r b; done >"$tmp/out" 2>&1
    kill $child && wait $child 2>/dev/null
    that "$r: links that change places, in twenty starts" "$(sort "$tmp/out" | uniq -c | tr -s ' ')" ' 20 started'
    that "$r: links that change places: outside it is as it was" "$(state)" "$before"
    rm -rf "$root/evil-opt"
done

# A read of the kernel's log takes away what it reads.
for r in $runtimes; do
    fresh
    for loader in lib64/ld-linux-x86-64.so.2 lib/ld-linux-aarch64.so.1; do
        { [ ! -e "$root/$loader" ] && [ ! -L "$root/$loader" ]; } || { mv "$root/$loader" "$root/away/" && ln -s /proc/kmsg "$root/$loader"; }
    done
    mark="cuarbiter-test-$$-$r"
    bundle b "$gpu" "$hook" '.process.args = ["/busybox", "echo", "started"]'
    if ! echo "$mark" >/dev/kmsg 2>/dev/null; then
        echo "# $r: the kernel's log cannot be written here"
        break
    fi
    that "$r: a loader that leads to the kernel's log" "$(start $r b)" started
    that "$r: which is left alone" "$(timeout 1 dd if=/proc/kmsg bs=64k count=16 iflag=nonblock 2>/dev/null | grep -c "$mark")" 1
    # The same for what is mounted in the preload file's place: ld.so takes nothing from it.
    for source in /proc/kmsg /proc/version /sys/kernel/vmcoreinfo; do
        [ -e $source ] || continue
        fresh
        mark="cuarbiter-test-$$-$r-$source"
        echo "$mark" >/dev/kmsg
        bundle b "$gpu" "$(volume $source /etc/ld.so.preload)" "$(says '/bin/echo started')"
        bare=$(start $r b 2>&1)
        bundle b "$gpu" "$(volume $source /etc/ld.so.preload)" "$(says '/bin/echo started')" "$hook"
        that "$r: $source is the preload file" "$(start $r b 2>&1)" "$bare"
        like "$(cat "$tmp/log")" '*is not a small regular file*' "$r: $source is the preload file: left alone"
        [ $source != /proc/kmsg ] || that "$r: the kernel's log is not taken" \
            "$(timeout 1 dd if=/proc/kmsg bs=64k count=16 iflag=nonblock 2>/dev/null | grep -c "$mark")" 1
    done
    fresh
done

# More than the hook reads.
long='.annotations += {"long": ("x" * 4000000)}'
took() { # FILTER...: ms
    bundle b "$gpu" "$long" '.process.args = ["/busybox", "true"]' "$@"
    begun=$(date +%s%N)
    start $r b
    echo $((($(date +%s%N) - begun) / 1000000))
}
for r in $runtimes; do
    fresh
    alone=$(took)
    with=$(took "$hook")
    echo "# $r, 4 MB of annotations: $alone ms bare, $with ms with the hook"
    [ $((with - alone)) -lt 1200 ] && ok "$r: 4 MB of annotations" || not_ok "$r: 4 MB of annotations" "$alone ms, $with ms"
done

# A volume that is shared with the host, with a preload file: a mount on it would be the host's too.
fresh
r=${runtimes%% crun*}
bundle b "$gpu" "$hook" "$(volume "$tmp/shared" /etc rshared)" '.mounts[-1].options = ["rbind", "rshared"]' \
    '.linux.rootfsPropagation = "rshared"' '.process.args = ["/busybox", "echo", "started"]'
mkdir "$tmp/shared"
that 'a shared volume' "$(unshare -m --propagation private sh -c 'mount -t tmpfs none "$1/shared" &&
    mount --make-rshared "$1/shared" && echo /bare.so >"$1/shared/ld.so.preload" && cd "$1/b" &&
    runc run "shared-$$" && cat "$1/shared/ld.so.preload"' sh "$tmp")" 'started
/bare.so'
like "$(cat "$tmp/log")" '*a mount at /opt/cuarbiter or /etc/ld.so.preload would also appear outside the container*' 'a shared volume: and that is why'

# Named in the wrong stage; by an engine in the host's mount namespace, and by one that has its own.
apart() { # RUNTIME: as start; behind it, what is mounted in the engine's namespace below the root
    unshare -mp --fork --kill-child --mount-proc --propagation private sh -c 'cd "$2/b" && mount --bind "$3" "$3"
        [ "$1" = runc ] || { umount -R /sys/fs/cgroup 2>/dev/null; mount -t cgroup2 none /sys/fs/cgroup; } || exit
        "$1" run "apart-$(date +%N)" </dev/null; grep -c "cuarbiter ro\|ld.so.preload" /proc/self/mountinfo' sh "$1" "$tmp" "$root"
}
for r in $runtimes; do
    for stage in createRuntime prestart poststart poststop; do
        fresh
        rm -f "$tmp/log"
        bundle b "$gpu" "$hook" ".hooks = {$stage: .hooks.createContainer}" "$(says "$script")"
        before=$(state)
        that "$r: named as $stage" "$(start $r b)" 'started
0'
        that "$r: named as $stage: the host is as it was" "$(state)" "$before"
        that "$r: named as $stage, an engine with a namespace of its own" "$(apart $r)" 'started
0
0'
        that "$r: named as $stage: and that is why" \
            "$(grep -c "the container has no mount namespace of its own\|the container has started already" "$tmp/log")" 2
        [ ! -e "$root/opt" ] || not_ok "$r: named as $stage: nothing is left behind" "$(find "$root/opt")"
    done
done
# A container in the engine's own mount namespace; runc refuses it.
case $runtimes in *crun*)
    fresh
    rm -f "$tmp/log"
    bare='.linux.namespaces |= map(select(.type != "mount"))'
    bundle b "$gpu" "$bare" "$(says "$script")"
    said=$(apart crun 2>&1)
    bundle b "$gpu" "$bare" "$(says "$script")" "$hook"
    that 'crun: no mount namespace' "$(apart crun 2>&1)" "$said"
    like "$(cat "$tmp/log")" "*: the container has no mount namespace of its own*" 'crun: no mount namespace: left alone'
    # The same where the hook does not see what crun has read; pid 1 is in another mount namespace.
    for how in 'a link' 'another file'; do
        fresh
        rm -f "$tmp/log"
        bundle b "$bare" "$(says "$script")" "$hook" "$(volume /dev/null /dev/nvidiactl)"
        mv "$tmp/b/config.json" "$tmp/real.json"
        file=../real.json
        [ "$how" != 'a link' ] || { ln -s ../real.json "$tmp/b/config.json" && file=config.json; }
        that "crun: no mount namespace, config.json is $how" \
            "$(unshare -m --propagation private sh -c 'cd "$1/b" && mount --bind "$2" "$2"
                umount -R /sys/fs/cgroup 2>/dev/null; mount -t cgroup2 none /sys/fs/cgroup || exit
                crun run --config "$3" "unseen-$(date +%N)" </dev/null 2>&1; grep -c "cuarbiter ro\|ld.so.preload" /proc/self/mountinfo' sh "$tmp" "$root" "$file")" \
            'started
0
0'
        like "$(cat "$tmp/log")" '*: config.json: *' "crun: no mount namespace, config.json is $how: and that is why"
        rm -f "$tmp/b/config.json"
    done
    ;;
esac
# Started by hand on the host's own root.
rm -f "$tmp/log"
mkdir "$tmp/host"
echo '{"root":{"path":"/"},"annotations":{"cdi.k8s.io/x":"nvidia.com/gpu=0"},"linux":{"namespaces":[{"type":"mount"}]}}' >"$tmp/host/config.json"
printf '{"id":"host","bundle":"%s"}' "$tmp/host" >"$tmp/state"
unshare -m --propagation private "$files/cuarbiter" hook --log "$tmp/log" <"$tmp/state"
"$files/cuarbiter" hook --log "$tmp/log" <"$tmp/state"
that "the host's own root" "$(grep -c "its root folder is the host's\|no mount namespace of its own" "$tmp/log")" 2
rm -f "$tmp/log"
for list in '' '{"type":"mount","path":"/proc/1/ns/mnt"}' '{"type":"mount"},{"type":"mount"}' '"mount"'; do
    printf '{"root":{"path":"%s"},"annotations":{"cdi.k8s.io/x":"nvidia.com/gpu=0"},"linux":{"namespaces":[%s]}}' "$root" "$list" >"$tmp/host/config.json"
    unshare -m --propagation private sh -c 'mount --bind "$1" "$1" && exec "$2/cuarbiter" hook --log "$3/log" <"$3/state"' sh "$root" "$files" "$tmp"
done
that 'namespaces that are not one of its own' "$(grep -c "no mount namespace of its own" "$tmp/log")" 4
# A configuration and a root folder that the hook may not read.
mkdir -m 0 "$tmp/closed"
chmod 0 "$tmp/host/config.json"
rm -f "$tmp/log"
printf '{"id":"host","bundle":"%s","root":"%s"}' "$tmp/host" "$tmp/closed/root" >"$tmp/state"
setpriv --bounding-set -all "$files/cuarbiter" hook --log "$tmp/log" <"$tmp/state"
that 'neither can be read: why' "$(cat "$tmp/log")" 'host: neither config.json nor the root folder can be opened: Permission denied'
# Whatever standard input says.
bad=0
for state in '' '{' '[]' '{"bundle":1}' '{"bundle":"/nowhere"}' '{"bundle":"/"}' '{"bundle":"/","root":"/"}' "$(head -c 100000 /dev/zero | tr '\0' '[')"; do
    (cd / && printf %s "$state" | unshare -m "$files/cuarbiter" hook --always) || bad=1
done
that 'states that are none' "$bad" 0
finish
