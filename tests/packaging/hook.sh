#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter hook, in containers of runc, crun and podman with real drivers: who gets it, and that
# others keep what is theirs.
# shellcheck disable=SC1091,SC2016,SC2086,SC2154
# shellcheck source=tests/packaging/hook-lib.sh
. "$(dirname "$0")/hook-lib.sh"
# It runs before createContainer hooks, on the host, and enters the container's mount namespace.
printf '#!/bin/sh\nexec nsenter -t "$(jq .pid)" -m touch %s/dev/nvidiactl\n' "$root" >"$tmp/prestart"
chmod +x "$tmp/prestart"
legacy=$(printf '.hooks.prestart = [{path: "%s"}]' "$tmp/prestart")
# A runtime on a node whose config.toml switches NVIDIA's hook off.
cat >"$tmp/off" <<'END'
#!/bin/sh
where=/usr/local/nvidia/toolkit/.config/nvidia-container-runtime
mount -t tmpfs none /usr/local && mkdir -p $where || exit 99
printf '[features]\ndisable-cuda-compat-lib-hook = true\n' >$where/config.toml
exec "$@"
END
chmod +x "$tmp/off"
off() { # start RUNTIME NAME
    (
        id=cuarbiter-$$-$(date +%s%N)
        cd "$tmp/$3" || exit
        wrap=''
        [ "$2" != crun ] || wrap=under_cgroup2
        $wrap unshare -m --propagation private "$tmp/off" "$2" run "$id"
    ) </dev/null
}
look='cat /etc/ld.so.preload 2>/dev/null; ls /opt/cuarbiter 2>/dev/null; true'

for r in $runtimes; do
    fresh
    bundle b "$machine" "$program" "$node"
    that "$r: bare" "$(answer $r)" 803
    bundle b "$machine" "$program" "$node" "$hook"
    that "$r: with the hook" "$(answer $r)" 100
    that "$r: again, on what the first one left" "$(answer $r)" 100
    that "$r: left behind is nothing but an empty file and an empty folder" \
        "$(find "$root/etc/ld.so.preload" "$root/opt/cuarbiter" -printf '%P %y %s;')" "$(
            printf ' f 0; d %s;' "$(stat -c %s "$root/opt/cuarbiter")")"
    bundle b "$machine" "$program" "$node" "$hook" '.process.user = {uid: 1000, gid: 1000}'
    that "$r: not root" "$(answer $r)" 100
    fresh
    bundle b "$machine" "$program" "$node" "$hook" '.root.readonly = true'
    that "$r: a root that is read-only" "$(answer $r)" 100
    fresh
    bundle b "$machine" "$program" "$node" "$hook" '.linux.namespaces += [{type: "user"}]
        | .linux.uidMappings = [{containerID: 0, hostID: 0, size: 65536}] | .linux.gidMappings = .linux.uidMappings'
    that "$r: a user namespace" "$(answer $r)" 100
    fresh
    bundle b "$machine" "$program" "$node" "$hook" '.linux.namespaces |= map(select(.type != "pid"))'
    that "$r: in the host's pid namespace" "$(answer $r)" 100

    # NVIDIA's own hook is switched off on the node.
    fresh
    bundle b "$hook" "$gpu" "$(says 'ls /opt/cuarbiter')"
    that "$r: NVIDIA's hook is on" "$(start $r b | grep -c nvidia-compat-hook-is-off)" 0
    that "$r: NVIDIA's hook is off, which the container is told" "$(off start $r b | grep -c nvidia-compat-hook-is-off)" 1

    # Who does not get it.
    fresh
    bundle b "$hook" "$(says "$look")"
    that "$r: no GPU: nothing is there" "$(start $r b)" ''
    # Every CUDA image sets it, on nodes without a driver too.
    for value in all 0 void; do
        bundle b "$hook" ".process.env += [\"NVIDIA_VISIBLE_DEVICES=$value\", \"NVIDIA_DRIVER_CAPABILITIES=all\"]" "$(says "$look")"
        that "$r: NVIDIA_VISIBLE_DEVICES=$value alone is no GPU" "$(start $r b)" ''
    done
    for row in 'annotation|.annotations += {"cuarbiter-policy": "off"}' \
        'annotation of another word|.annotations += {"cuarbiter-policy": "No"}' 'variable|.process.env += ["CUARBITER_POLICY=off"]'; do
        bundle b "$hook" "$gpu" "${row#*|}" "$(says "$look")"
        that "$r: it says no by its ${row%%|*}" "$(start $r b)" ''
    done
    that "$r: and nothing is left behind" "$(ls -d "$root/opt/cuarbiter" "$root/etc/ld.so.preload" 2>/dev/null)" ''
    # Who does.
    for row in 'device|.linux.devices += [{path: "/dev/nvidia0", type: "c", major: 1, minor: 3}]' \
        "mount|$node" "CDI device|$gpu" "prestart hook, as NVIDIA's legacy runtime does it|$legacy"; do
        fresh
        bundle b "$hook" "${row#*|}" "$(says 'tail -n 1 /etc/ld.so.preload')"
        that "$r: a GPU by a ${row%%|*}" "$(start $r b)" /opt/cuarbiter/libcuarbiter.so
    done

    # Beside others.
    fresh
    printf '/libquota.so\n# theirs' >"$tmp/theirs"
    others=$(printf '.mounts += [{destination: "/etc/ld.so.preload", type: "bind", source: "%s", options: ["bind", "ro"]}]' "$tmp/theirs")
    : >"$root/etc/ld.so.preload"
    bundle b "$hook" "$gpu" "$others" "$(says 'cat /etc/ld.so.preload')"
    that "$r: behind what another one mounts" "$(start $r b 2>/dev/null)" '/libquota.so
# theirs
/opt/cuarbiter/libcuarbiter.so'
    that "$r: whose file stays as it is" "$(cat "$tmp/theirs")" '/libquota.so
# theirs'
    # A quota that the container's root could take out of it would be none.
    bundle b "$hook" "$gpu" "$others" "$(says 'echo /libown.so >/etc/ld.so.preload; head -n 1 /etc/ld.so.preload')"
    that "$r: and is read-only as they mount it" "$(start $r b 2>/dev/null)" /libquota.so
    echo /libimage.so >"$root/etc/ld.so.preload"
    bundle b "$hook" "$gpu" "$(says 'cat /etc/ld.so.preload')"
    that "$r: behind what the image says" "$(start $r b 2>/dev/null)" '/libimage.so
/opt/cuarbiter/libcuarbiter.so'
    that "$r: which stays as it is" "$(cat "$root/etc/ld.so.preload")" /libimage.so
    echo /opt/cuarbiter/1.0/libcuarbiter.so >"$root/etc/ld.so.preload"
    that "$r: the image has the shim itself: left alone" "$(start $r b 2>/dev/null)" \
        /opt/cuarbiter/1.0/libcuarbiter.so
    fresh
    mkdir -p "$root/opt/cuarbiter/own"
    bundle b "$hook" "$gpu" "$(says "$look")"
    that "$r: the image has a folder of that name: left alone" "$(start $r b)" own

    # 32-bit programs beside 64-bit ones: their loader would complain of a 64-bit library.
    fresh
    cp "$root/bin/true" "$root/lib/ld-linux.so.2"
    bundle b "$hook" "$gpu" "$(says 'cat /etc/ld.so.preload; grep -c r-xp.*libcuarbiter.so /proc/self/maps')"
    that "$r: an image with 32-bit programs" "$(start $r b 2>&1)" '/opt/cuarbiter/$LIB/libcuarbiter.so
1'
    rm "$root/lib/ld-linux.so.2"
done

said() { # waits until the container has said something
    for _ in $(seq 300); do
        [ ! -s "$tmp/out" ] || break
        sleep 0.1
    done
}
# The switch of the node reaches containers that run, also when its file is replaced.
fresh
mkdir "$files/site"
bundle b "$machine" "$node" "$hook" "$(says '/app/init-cudart /app/libcudart.so.11.2.152
    while [ ! -e /opt/cuarbiter/site/cuarbiter.conf ]; do sleep 0.1; done
    /app/init-cudart /app/libcudart.so.11.2.152; echo x >/opt/cuarbiter/site/x')"
: >"$tmp/out"
start "${runtimes##* }" b >"$tmp/out" 2>&1 &
child=$!
said
echo disabled >"$files/site/new" && mv "$files/site/new" "$files/site/cuarbiter.conf"
wait $child
that 'the switch reaches a container that runs' "$(sed -n 's/.*cudaGetDeviceCount=\([0-9]*\).*/\1/p' "$tmp/out" | tr '\n' ' ')" '100 803 '
like "$(cat "$tmp/out")" '*Read-only*' 'and nothing of it can be written there'
# Purged with the package: nobody can switch this container off any more, so it is off.
fresh
bundle b "$machine" "$node" "$hook" "$(says 'echo started; while [ -e /opt/cuarbiter/site/cuarbiter.conf ]; do sleep 0.1; done
    /app/init-cudart /app/libcudart.so.11.2.152')"
: >"$tmp/out"
start "${runtimes##* }" b >"$tmp/out" 2>&1 &
child=$!
said
rm -rf "$files/site"
wait $child
like "$(cat "$tmp/out")" "*site-file: /opt/cuarbiter/site/cuarbiter.conf: the folder of this file was removed on the node: cuarbiter is off*cudaGetDeviceCount=803*" \
    "a switch that was removed under a container"
mkdir "$files/site"
echo disabled >"$files/site/cuarbiter.conf"
# What may mount could make that mount writable, and would have the host's file system by it.
for r in $runtimes; do
    for name in CAP_SYS_ADMIN cap_sys_admin; do # crun takes both
        admin=".process.capabilities |= map_values(. + [\"$name\"])"
        fresh
        bundle b "$admin" "$gpu" "$hook" "$(says 'mount -o remount,bind,rw /opt/cuarbiter/site 2>/dev/null
            echo evil >/opt/cuarbiter/site/cuarbiter.conf; mount -o remount,bind,rw /opt/cuarbiter && echo evil >/opt/cuarbiter/site/cuarbiter.conf')"
        start $r b >/dev/null 2>&1
        that "$r: with $name: the node's switch stays as it is" "$(cat "$files/site/cuarbiter.conf")" disabled
        echo disabled >"$files/site/cuarbiter.conf"
    done
    admin='.process.capabilities |= map_values(. + ["CAP_SYS_ADMIN"])'
    bundle b "$admin" "$machine" "$program" "$node" "$hook"
    that "$r: with CAP_SYS_ADMIN: what the switch says at the start holds" "$(answer $r)" 803
done
# From any mount of the node's file system that capability leads to all of it.
sees='grep -c " /opt/cuarbiter/site " /proc/self/mountinfo; cat /opt/cuarbiter/site/cuarbiter.conf'
for r in $runtimes; do
    fresh
    bundle b "$gpu" "$hook" "$(says "$sees")"
    that "$r: with Docker's capabilities: the node's folder is mounted" "$(start $r b)" '1
disabled'
    for name in DAC_READ_SEARCH SYS_ADMIN SYS_PTRACE SYS_MODULE SYS_RAWIO BPF PERFMON; do
        fresh
        bundle b "$gpu" ".process.capabilities |= map_values(. + [\"CAP_$name\"])" "$hook" "$(says "$sees")"
        that "$r: with CAP_$name: a copy, no mount" "$(start $r b)" '0
disabled'
    done
    for set in bounding effective inheritable permitted ambient; do
        fresh
        bundle b "$gpu" ".process.capabilities.$set += [\"CAP_DAC_READ_SEARCH\"]" "$hook" "$(says "$sees")"
        start $r b >"$tmp/out" 2>&1 && that "$r: with CAP_DAC_READ_SEARCH in $set: a copy, no mount" "$(cat "$tmp/out")" '0
disabled' # or it does not start, bare neither
    done
done
fresh
bundle b "$gpu" '.process.capabilities |= map_values(. + ["2"])' "$hook" "$(says "$sees")"
case $runtimes in
*crun*) start crun b >"$tmp/out" 2>&1 && that 'crun: a capability by its number: a copy' "$(cat "$tmp/out")" '0
disabled' ;;
esac
rm -rf "$files/site"

# The preload file is the container's own, as bare.
for r in $runtimes; do
    fresh
    bundle b "$gpu" "$hook" "$(says 'echo "# own" >>/etc/ld.so.preload && cat /etc/ld.so.preload')"
    that "$r: an image may write its preload file" "$(start $r b 2>/dev/null)" '/opt/cuarbiter/libcuarbiter.so
# own'
    fresh
    bundle b "$gpu" "$hook" '.root.readonly = true' "$(says 'echo x >>/etc/ld.so.preload')"
    like "$(start $r b 2>&1)" '*Read-only*' "$r: not where its root is read-only"
done

# Its mode and its owner too: one that root alone may read says nothing to others.
for r in $runtimes; do
    fresh
    echo /libimage.so >"$root/etc/ld.so.preload"
    chmod 640 "$root/etc/ld.so.preload" && chgrp 8 "$root/etc/ld.so.preload"
    bundle b "$gpu" "$hook" "$(says 'stat -c "%a %u %g" /etc/ld.so.preload; tail -n 1 /etc/ld.so.preload')"
    that "$r: the preload file's mode and owner" "$(start $r b 2>/dev/null)" '640 0 8
/opt/cuarbiter/libcuarbiter.so'
    bundle b "$gpu" "$hook" '.process.user = {uid: 1000, gid: 1000}' "$(says 'cat /etc/ld.so.preload; echo started')"
    that "$r: and who could not read it" "$(start $r b 2>/dev/null)" started
done

# Arch: /lib64 leads to /usr/lib, where $LIB is "lib", and "lib32" for 32-bit programs.
mkdir -p "$tmp/arch/usr/lib" "$tmp/arch/usr/lib32" "$tmp/arch/etc" "$tmp/arch/proc" "$tmp/arch/dev" "$tmp/arch/sys"
ln -s usr/lib "$tmp/arch/lib" && ln -s usr/lib "$tmp/arch/lib64"
cp -L "$root"/lib/*-linux-gnu/libc.so.6 "$root"/lib/*-linux-gnu/ld-linux-*.so.* "$tmp/arch/usr/lib/"
for loader in ld-linux.so.2 ld-linux-armhf.so.3; do cp "$root/bin/true" "$tmp/arch/usr/lib32/$loader" && ln -s ../lib32/$loader "$tmp/arch/usr/lib/$loader"; done
cp "$(command -v busybox)" "$tmp/arch/busybox"
bundle b "$gpu" "$hook" ".root.path = \"$tmp/arch\"" '.process.args = ["/busybox", "sh", "-c", "cat /etc/ld.so.preload; cd /opt/cuarbiter
    for lib in lib lib64 lib32; do cmp -s $lib/libcuarbiter.so libcuarbiter.so; echo $lib $?; done"]'
that 'an image of Arch with 32-bit programs' "$(start "${runtimes##* }" b)" '/opt/cuarbiter/$LIB/libcuarbiter.so
lib 0
lib64 0
lib32 1'

# What it says, for those who look.
fresh
bundle b "$gpu" "$(hook "$files" | sed "s,\"hook\"\],\"hook\"\,\"--log\"\,\"$tmp/log\"],")" "$(says true)"
start "${runtimes##* }" b && start "${runtimes##* }" b
that '--log: a line a container' "$(sed 's/^[^:]*: //' "$tmp/log")" 'added
added'
that 'nothing on standard input: silence' "$("$files/cuarbiter" hook </dev/null 2>&1; echo $?)" 0
"$files/cuarbiter" hook --no-such </dev/null 2>/dev/null
that 'a wrong option is usage' $? 2

# It executes nothing and talks to nobody.
fresh
bundle b "$gpu"
printf '{"id":"traced","bundle":"%s"}' "$tmp/b" >"$tmp/state"
if command -v strace >/dev/null; then
    unshare -m --propagation private sh -c 'mount --bind "$1" "$1" && exec strace -f -o "$2/trace" -e trace=%process,%network \
        "$3/cuarbiter" hook --log "$2/traced" <"$2/state"' sh "$root" "$tmp" "$files"
    that 'traced: it serves the container' "$(cat "$tmp/traced")" 'traced: added'
    # statmount, which strace does not know, passes its filter.
    that 'traced: it executes nothing and opens no socket' \
        "$(sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' "$tmp/trace" | grep -v '^syscall_0x1c9$' | sort | uniq -c | tr -s ' ' | tr '\n' ';')" ' 1 clone; 1 execve; 2 exit_group; 1 wait4;'
else
    missing 'traced: it executes nothing' 'no strace'
fi

# A root whose file system does not answer: whoever waits for it cannot even be killed.
slow=$built/../bench/bench-slow
mkdir "$tmp/silent"
if [ -x "$slow" ] && [ -e /dev/fuse ]; then
    fresh
    bundle silent-bundle "$gpu" ".root.path = \"$tmp/silent\""
    printf '{"id":"traced","bundle":"%s"}' "$tmp/silent-bundle" >"$tmp/silent-state"
    "$files/cuarbiter" node print-oci | jq -r '.hooks.createContainer[0].args[2]' >"$tmp/script"
    unshare -m --propagation private python3 - "$slow" "$root" "$tmp/silent" "$tmp/script" "$files/cuarbiter" "$tmp/silent-state" "$tmp/traced" \
        >"$tmp/out" 2>&1 <<'PY'
import os, select, subprocess, sys, time
slow, root, mount, script, command, state, log = sys.argv[1:]
ours, runtimes = os.pipe()
server = subprocess.Popen([slow, root, mount, "0", "/ld.so.preload"], stderr=subprocess.DEVNULL)
while not os.path.ismount(mount):
    time.sleep(0.01)
begin = time.monotonic()
wrapper = subprocess.Popen(["/bin/sh", script, command, "hook", "--log", log], stdin=open(state), pass_fds=[runtimes])
os.close(runtimes)
while wrapper.poll() is None and time.monotonic() - begin < 5:
    time.sleep(0.01)
print("# a root that does not answer: %d ms" % ((time.monotonic() - begin) * 1000))
print("ended", wrapper.poll())
# runc waits for the end of such a pipe.
print("holds" if not select.select([ours], [], [], 1)[0] else "has closed", "the descriptors of the runtime")
server.kill()
subprocess.run(["umount", "-l", mount])
PY
    grep '^#' "$tmp/out"
    that 'a root that does not answer: the hook ends' "$(grep -v '^#' "$tmp/out")" 'ended 0
has closed the descriptors of the runtime'
    that 'a root that does not answer: after a second' \
        "$([ "$(sed -n 's/^#.* \([0-9]*\) ms/\1/p' "$tmp/out")" -lt 2000 ] && echo yes)" yes
else
    missing 'a root that does not answer' 'no bench-slow (libfuse3-dev), or no /dev/fuse'
fi

# On a kernel before 6.8, which lists its mounts or nothing; and among 6,000 mounts on one place.
by_hand() { # SCRIPT: the hook's log, started where the root is a mount
    rm -f "$tmp/traced" && fresh
    unshare -m --propagation private sh -c 'mount --bind "$1" "$1" && eval "$4"' sh "$root" "$tmp" "$files" "$1" >"$tmp/out" 2>&1
    sed 's/^traced: //' "$tmp/traced"
}
run='"$3/cuarbiter" hook --log "$2/traced" <"$2/state"'
cat >"$tmp/old.py" <<'PY'
import ctypes, os, struct, sys
# Returns ENOSYS for statmount: load the number, compare, return.
code = b"".join(struct.pack("HBBI", *i) for i in ((0x20, 0, 0, 0), (0x15, 0, 1, 457), (0x06, 0, 0, 0x50026), (0x06, 0, 0, 0x7FFF0000)))
buffer = ctypes.create_string_buffer(code)
program = struct.pack("HxxxxxxP", 4, ctypes.addressof(buffer))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0):
    sys.exit(os.strerror(ctypes.get_errno()))
os.execv(sys.argv[1], sys.argv[1:])
PY
old='python3 "$2/old.py"'
# One line a container, in a folder that the node has for it; nothing where it has none.
journal() { # SCRIPT: what comes before the hook; its lines, without the time
    rm -rf "$tmp/journal"
    by_hand "mount -t tmpfs none /var/log; mkdir /var/log/cuarbiter; cd /var/log/cuarbiter; $1; $run; cp -a . \"\$2/journal\"" >/dev/null
    [ ! -f "$tmp/journal/containers.jsonl" ] || jq -c 'del(.time)' "$tmp/journal/containers.jsonl" 2>&1
}
line='{"container":"traced","hook":"added","why":null,"namespace":null,"pod":null,"name":null,"image":null,"drivers":null,"policy":"auto"}'
that 'the line of a container' "$(journal true)" "$line"
like "$(jq -r .time "$tmp/journal/containers.jsonl")" '20??-??-??T??:??:??.000Z' 'the line of a container: its time'
bundle b '.annotations += {"cuarbiter-policy": "off", "io.kubernetes.cri.sandbox-namespace": "team-a", "io.kubernetes.cri.sandbox-name": "train-0",
    "io.kubernetes.cri.container-name": "main", "io.kubernetes.cri.image-name": "registry/train:1"}'
that "the line of a pod's container, left alone" "$(journal true)" \
    '{"container":"traced","hook":"left","why":"the container refuses it: annotation cuarbiter-policy","namespace":"team-a","pod":"train-0","name":"main","image":"registry/train:1","drivers":null,"policy":"auto"}'
that 'the hook twice for a container that refuses it: one line' "$(journal "$run" | wc -l)" 1
that 'the hook in two starts: two lines' "$(journal "$run; sed -i 's/\"time\":\"20/\"time\":\"19/' containers.jsonl" | wc -l)" 2
bundle b "$gpu"
that 'the hook twice, as by CDI and NRI: one line' "$(journal "$run")" "$line"
# The policy with which the container's programs start.
policy() { # LINE OF THE SWITCH, FILTER...
    bundle b "$gpu" "${2:-.}"
    journal 'mkdir -p "$2/etc/cuarbiter/site" && echo "'"$1"'" >"$2/etc/cuarbiter/site/cuarbiter.conf" && mount --bind "$2/etc" /etc' | jq -r .policy
}
that 'the policy: the switch' "$(policy CUARBITER_POLICY=report)" report
that 'the policy: disabled' "$(policy disabled)" disabled
that 'the policy: a word that is none' "$(policy CUARBITER_POLICY=raport)" disabled
that "the policy: the container's environment" "$(policy CUARBITER_POLICY=report '.process.env += ["CUARBITER_POLICY=newest"]')" newest
that "the policy: the container's environment, locked" \
    "$(policy 'CUARBITER_POLICY=report
lock=CUARBITER_POLICY' '.process.env += ["CUARBITER_POLICY=newest"]')" report
rm -r "${tmp:?}/etc"
bundle b "$gpu"
that "the policy: not known where the container has a site file of its own" \
    "$(journal 'echo disabled >"$1/etc/cuarbiter.conf"' | jq -r .policy; rm "$root/etc/cuarbiter.conf")" null
for own in /usr/lib/libcuarbiter.so /opt/cuarbiter/libcuarbiter.so; do
    that "an image that names a shim itself: $own" "$(journal 'mkdir -p "$1/opt/cuarbiter"; : >"$1/opt/cuarbiter/.by-hook"; echo '$own' >"$1/etc/ld.so.preload"')" \
        "$(echo "$line" | sed 's/"added","why":null/"left","why":"\/etc\/ld.so.preload names the shim already: File exists"/')"
done
that 'node check adds none' "$(journal '"$3/cuarbiter" node check >"$2/checked" 2>&1'; grep -c '^the hook works' "$tmp/checked")" "$line
1"
that 'a full file is turned' "$(journal 'head -c 1048576 /dev/zero >containers.jsonl'; stat -c %s "$tmp/journal/containers.1.jsonl")" "$line
1048576"
that 'a full file is turned, whoever locks what others can open' \
    "$(journal 'head -c 1048576 /dev/zero >containers.jsonl; exec 8<. 9<containers.jsonl
        setpriv --reuid 1000 --clear-groups flock -n 8; setpriv --reuid 1000 --clear-groups flock -n 9')" "$line"
that 'what a full disk has cut ends before the next line' \
    "$(journal 'printf %s "{\"time\":\"2026" >containers.jsonl' >/dev/null; sed 1d "$tmp/journal/containers.jsonl" | jq -c 'del(.time)'
        head -n 1 "$tmp/journal/containers.jsonl")" "$line
{\"time\":\"2026"
for row in 'a link|ln -s /var/log/else containers.jsonl' 'a second name|touch x; ln x containers.jsonl' \
    "another's file|touch containers.jsonl; chown 1000 containers.jsonl" 'a file that others can write|touch containers.jsonl; chmod 666 containers.jsonl' \
    'a pipe|mkfifo containers.jsonl'; do
    journal "${row#*|}; ls -la /var/log >\"\$2/before\"" >/dev/null
    that "${row%%|*} in its place is not written" "$(sed 's/traced: //' "$tmp/traced"), $([ -p "$tmp/journal/containers.jsonl" ] || cat "$tmp/journal/containers.jsonl" 2>/dev/null)" 'added, '
done
that 'a folder that is a link' "$(journal 'cd ..; mv cuarbiter else; ln -s else cuarbiter; cd else' | grep -c added)" 0
bundle b '.annotations += {"cuarbiter-policy": "off"}'
that 'sixty at once: sixty lines' "$(journal "for i in \$(seq 59); do sed s/traced/traced\$i/ \"\$2/state\" | ${run%<*} & done; wait" | wc -l)" 60
bundle b "$gpu"
that 'a kernel without statmount' "$(by_hand "$old $run")" added
like "$(by_hand "mount --make-rshared \"\$1\"; $old $run")" '*not a private mount*' 'a kernel without statmount: a shared mount'
like "$(by_hand "mount --make-rshared \"\$1\"; $run")" '*not a private mount*' 'a shared mount'
cat >"$tmp/many.py" <<'PY'
import ctypes, os, subprocess, sys, time
libc = ctypes.CDLL(None)
for _ in range(6000):
    libc.mount(b"none", sys.argv[1].encode(), b"tmpfs", 0, b"size=4k")
begin = time.monotonic()
subprocess.run(["sh", "-c", sys.argv[2], "sh", *sys.argv[3:]])
print(int((time.monotonic() - begin) * 1000))
PY
mkdir "$tmp/many"
that 'among 6,000 mounts' "$(by_hand "python3 \"\$2/many.py\" \"\$2/many\" '$run' \"\$@\"")" added
echo "# among 6,000 mounts: $(cat "$tmp/out") ms"
if python3 -c 'import ctypes; libc = ctypes.CDLL(None, use_errno=True); libc.syscall(457, 0, 0, 0, 0); exit(ctypes.get_errno() == 38)'; then
    [ "$(tail -n 1 "$tmp/out")" -lt 700 ] && ok 'among 6,000 mounts: as fast' || not_ok 'among 6,000 mounts: as fast' "$(cat "$tmp/out") ms"
else
    missing 'among 6,000 mounts: as fast' 'a kernel before 6.8'
fi
# What the kernel counts for the container must not end one that starts bare with 3 MiB.
bundle b "$gpu" '.linux.resources = {memory: {limit: 3145728}}'
like "$(by_hand "$run")" 'its memory limit is below 32 MiB*' 'a container of 3 MiB'
bundle b "$gpu" '.linux.resources = {unified: {"memory.max": "3145728"}}'
like "$(by_hand "$run")" 'its memory limit is below 32 MiB*' 'a container of 3 MiB, by the name of cgroup2'
bundle b "$gpu" '.linux.resources = {unified: {"memory.max": "max"}}'
that 'a container without a limit, by the name of cgroup2' "$(by_hand "$run")" added
# It starts. The shell and its timeout alone are too much for 3 MiB now and then.
cp "$(command -v busybox)" "$root/busybox"
small='.linux.resources = {memory: {limit: 4194304}} | .process.args = ["/busybox", "echo", "started"]'
for r in $runtimes; do
    fresh
    rm -f "$tmp/traced"
    bundle b "$gpu" "$small"
    if ! bare=$(for _ in 1 2 3 4 5; do start $r b || exit; done 2>&1); then
        echo "# $r: memory cannot be limited here: $bare"
        continue
    fi
    bundle b "$gpu" "$small" "$(hook "$files" | sed "s,\"hook\"\],\"hook\"\,\"--log\"\,\"$tmp/traced\"],")"
    that "$r: a container of 4 MiB starts" "$(for _ in 1 2 3 4 5; do start $r b 2>&1; done)" "$bare"
    that "$r: a container of 4 MiB: left alone" "$(grep -c 'its memory limit is below 32 MiB' "$tmp/traced")" 5
done
rm "$root/busybox"
bundle b "$gpu" '.linux.resources = {memory: {limit: 536870912}}'
that 'a container of 512 MiB' "$(by_hand "$run")" added
bundle b "$gpu" '.linux.resources = {memory: {limit: -1}}'
that 'a container without a limit' "$(by_hand "$run")" added

finish
