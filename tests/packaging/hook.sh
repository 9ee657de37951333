#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter hook, in containers of runc, crun and podman with real drivers: who gets it, and that
# others keep what is theirs.
# shellcheck disable=SC1091,SC2016,SC2086,SC2154
export CUARBITER_MKNOD=kept # layers are made with it, and containers have a /dev of their own
. "$(dirname "$0")/../fixtures/images.sh"
. "$(dirname "$0")/bundles.sh"
need_runtimes
need_files
need_drivers 535.261.03 555.58.02
need_cudart 11.2.152
need_root bullseye
command -v strip >/dev/null && strip --strip-unneeded "$files"/cuarbiter "$files"/*.so
root=$tmp/root
copy_root bullseye "$root"
lay_out "$root" 555.58.02 535.261.03
mkdir "$root/app"
cp "$programs"/* "$cudarts/11.2.152/libcudart.so.11.2.152" "$root/app/"
hook=$(hook "$files")
machine='.process.env += ["LD_PRELOAD=/libstandin.so", "STANDIN_KMD=535.261.03", "STANDIN_ROOT=/geforce"]'
program='.process.args = ["/app/init-cudart", "/app/libcudart.so.11.2.152"]'
node=$(printf '.mounts += [{destination: "/dev/nvidiactl", type: "bind", source: "%s", options: ["bind"]}]' \
    "$tmp/nvidiactl")
: >"$tmp/nvidiactl" # not in the root, whose /dev the runtime hides
fresh() { # what an earlier container left
    rm -rf "${root:?}/opt/cuarbiter" "$root/etc/ld.so.preload"
}
answer() { word cudaGetDeviceCount "$(start "$1" b 2>&1)"; }
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

    # Who does not get it.
    fresh
    bundle b "$hook" "$(says "$look")"
    that "$r: no GPU: nothing is there" "$(start $r b)" ''
    for row in 'annotation|.annotations = {"cuarbiter-policy": "off"}' \
        'annotation of another word|.annotations = {"cuarbiter-policy": "No"}' 'variable|.process.env += ["CUARBITER_POLICY=off"]'; do
        bundle b "$hook" "$gpu" "${row#*|}" "$(says "$look")"
        that "$r: it says no by its ${row%%|*}" "$(start $r b)" ''
    done
    that "$r: and nothing is left behind" "$(ls -d "$root/opt/cuarbiter" "$root/etc/ld.so.preload" 2>/dev/null)" ''
    # Who does.
    for row in 'device|.linux.devices += [{path: "/dev/nvidia0", type: "c", major: 1, minor: 3}]' \
        "mount|$node" "variable|$gpu" 'CDI device|.annotations = {"cdi.k8s.io/x": "nvidia.com/gpu=0"}'; do
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

# The switch of the node reaches containers that run, also when its file is replaced.
fresh
mkdir "$files/site"
bundle b "$machine" "$node" "$hook" "$(says '/app/init-cudart /app/libcudart.so.11.2.152
    while [ ! -e /opt/cuarbiter/site/cuarbiter.conf ]; do sleep 0.1; done
    /app/init-cudart /app/libcudart.so.11.2.152; echo x >/opt/cuarbiter/site/x')"
start "${runtimes##* }" b >"$tmp/out" 2>&1 &
child=$!
sleep 1
echo disabled >"$files/site/new" && mv "$files/site/new" "$files/site/cuarbiter.conf"
wait $child
that 'the switch reaches a container that runs' "$(sed -n 's/.*cudaGetDeviceCount=\([0-9]*\).*/\1/p' "$tmp/out" | tr '\n' ' ')" '100 803 '
like "$(cat "$tmp/out")" '*Read-only*' 'and nothing of it can be written there'
# Purged with the package: nobody can switch this container off any more, so it is off.
fresh
bundle b "$machine" "$node" "$hook" "$(says 'while [ -e /opt/cuarbiter/site/cuarbiter.conf ]; do sleep 0.1; done
    /app/init-cudart /app/libcudart.so.11.2.152')"
start "${runtimes##* }" b >"$tmp/out" 2>&1 &
child=$!
sleep 1
rm -rf "$files/site"
wait $child
like "$(cat "$tmp/out")" "*site-file: /opt/cuarbiter/site/cuarbiter.conf: the node's folder was removed: cuarbiter is off*cudaGetDeviceCount=803*" \
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
        "$(sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' "$tmp/trace" | grep -v '^syscall_0x1c9$' | sort | uniq -c | tr -s ' ' | tr '\n' ';')" ' 1 execve; 1 exit_group;'
else
    missing 'traced: it executes nothing' 'no strace'
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
like "$(by_hand "$run")" 'it has less than 32 MiB*' 'a container of 3 MiB'
bundle b "$gpu" '.linux.resources = {unified: {"memory.max": "3145728"}}'
like "$(by_hand "$run")" 'it has less than 32 MiB*' 'a container of 3 MiB, by the name of cgroup2'
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
    that "$r: a container of 4 MiB: left alone" "$(grep -c 'it has less than 32 MiB' "$tmp/traced")" 5
done
rm "$root/busybox"
bundle b "$gpu" '.linux.resources = {memory: {limit: 536870912}}'
that 'a container of 512 MiB' "$(by_hand "$run")" added
bundle b "$gpu" '.linux.resources = {memory: {limit: -1}}'
that 'a container without a limit' "$(by_hand "$run")" added

# A timeout that takes whole seconds alone, or another command line.
timeout=$(command -v timeout)
cp "$timeout" "$tmp/timeout" && printf '#!/bin/sh\ncase $3 in *.*) echo "invalid number" >&2; exit 1; esac\nexec %s "$@"\n' "$tmp/timeout" >"$tmp/whole"
printf '#!/bin/sh\n[ "$1" = -t ] || exit 127\nshift\nexec %s "$@"\n' "$tmp/timeout" >"$tmp/other" && chmod +x "$tmp/whole" "$tmp/other"
with() { # TIMEOUT COMMAND...
    how=$1
    shift
    unshare -m --propagation private sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "$tmp/$how" "$(readlink -f "$timeout")" "$@" 2>&1
}
like "$(with whole "$files/cuarbiter" node check)" 'the hook works on this node*' 'a timeout that takes whole seconds alone'
fresh
"$files/cuarbiter" node print-oci | jq -r '.hooks.createContainer[0].args[2]' >"$tmp/script"
that 'a timeout that takes whole seconds alone: all of the state is read' \
    "$( (head -c 300000 /dev/zero; echo $? >"$tmp/written") | with whole sh "$tmp/script" /nowhere; cat "$tmp/written")" 0
like "$(with other "$files/cuarbiter" node check)" '*does not take "-s KILL 1"*' 'a timeout with another command line: refused'
like "$(with other "$files/cuarbiter" cdi)" '*does not take "-s KILL 1"*' 'a timeout with another command line: refused for CDI'

# The node's command.
that 'node check' "$("$files/cuarbiter" node check | sed 's/ it is o[nf]*$//' | head -n 1)" \
    'the hook works on this node;'
cp -r "$files" "$tmp/half" && rm "$tmp/half/libcuarbiter-engine.so"
like "$("$tmp/half/cuarbiter" node check 2>&1)" 'cuarbiter: hook: *libcuarbiter-engine.so: No such file*' \
    'node check: a file is missing'
that 'a package manager replaces the files meanwhile' "$(python3 - "$files" <<'PY'
import os, subprocess, sys, threading, time
files = sys.argv[1]
shim, on = files + "/libcuarbiter.so", True
data = open(shim, "rb").read()
def replace():
    while on:
        with open(shim + ".new", "wb") as out:
            out.write(data)
        os.chmod(shim + ".new", 0o755)
        os.rename(shim + ".new", shim)
        time.sleep(0.001)
thread = threading.Thread(target=replace)
thread.start()
checks = [subprocess.run([files + "/cuarbiter", "node", "check"], capture_output=True, text=True) for _ in range(40)]
on = False
thread.join()
print({check.stderr for check in checks if check.returncode})
PY
)" 'set()'
in_etc() { # with an /etc and a /usr/share for the test alone
    unshare -m --propagation private sh -c 'mkdir -p "$1" "$1-share" && mount --bind "$1-share" /usr/share && cp -a /etc/passwd /etc/group /etc/ld.so.cache "$1" &&
        mount --bind "$1" /etc && shift && exec "$@"' sh "$tmp/etc" "$@"
}
that 'node on' "$(in_etc "$files/cuarbiter" node on | head -n 1)" 'on: /etc/containers/oci/hooks.d/cuarbiter.json, /usr/share/containers/oci/hooks.d/cuarbiter.json'
that 'node on: what print prints' "$(cat "$tmp/etc/containers/oci/hooks.d"/*)" "$("$files/cuarbiter" node print)"
that 'node on: in both places' "$(cmp "$tmp/etc/containers/oci/hooks.d/cuarbiter.json" "$tmp/etc-share/containers/oci/hooks.d/cuarbiter.json" 2>&1)" ''
like "$(cat "$tmp/etc/cuarbiter/site/cuarbiter.conf")" '#*disabled*' 'node on: the switch'
switch=$tmp/etc/cuarbiter/site/cuarbiter.conf
like "$(in_etc "$files/cuarbiter" node check)" '*it is on
the switch says: auto' 'node check: on, and the switch'
says_switch() { # TEXT WANTED NAME
    echo "$1" >"$switch"
    like "$(in_etc "$files/cuarbiter" node check 2>&1)" "*$2*" "node check: $3"
}
says_switch CUARBITER_POLICY=report 'the switch says: report' 'a dry run'
says_switch disabled 'the switch says: disabled' disabled
says_switch CUARBITER_POLICY=raport 'cuarbiter: node: /etc/cuarbiter/site/cuarbiter.conf: CUARBITER_POLICY=raport is none of *' 'a policy that is none'
says_switch CUARBITER_POLCY=report '*line 1 is not understood*: cuarbiter is off in every container until*' 'a slip of the pen'
like "$(in_etc "$files/cuarbiter" node on 2>&1; echo $?)" '*line 1 is not understood*1' 'node on: refuses it'
chmod 600 "$switch"
says_switch disabled '*everybody has to be able to read it*' 'one that root alone can read'
chmod 644 "$switch"
echo disabled >"$switch"
that 'node on: twice is once, and the switch stays' "$(in_etc "$files/cuarbiter" node on >/dev/null; cat "$tmp/etc/cuarbiter/site/cuarbiter.conf")" disabled
like "$(in_etc "$tmp/half/cuarbiter" node on 2>&1; ls "$tmp/etc/containers/oci/hooks.d")" '*libcuarbiter-engine.so: No such file*cuarbiter.json' 'node on: refused where it does not work'
like "$(in_etc "$files/cuarbiter" node off)" 'off*' 'node off'
that 'node off: all of it' "$(find "$tmp/etc/containers" "$tmp/etc-share/containers" -name "*.json"; in_etc "$files/cuarbiter" node off)" 'off already'
echo '{}' >"$tmp/etc/containers/oci/hooks.d/cuarbiter.json"
like "$(in_etc "$files/cuarbiter" node off 2>&1)" "*another's file" "node off: another's file stays"
like "$(in_etc "$files/cuarbiter" node on 2>&1)" "*another's file" "node on: another's file"
that "node on: another's file stays" "$(cat "$tmp/etc/containers/oci/hooks.d/cuarbiter.json")" '{}'
: >"$tmp/etc/containers/oci/hooks.d/cuarbiter.json"
like "$(in_etc "$files/cuarbiter" node check)" '*it is off*' 'node check: an empty file'
like "$(in_etc "$files/cuarbiter" node off 2>&1)" 'off: *' 'node off: an empty file'
that 'node off: an empty file goes' "$(ls "$tmp/etc/containers/oci/hooks.d")" ''
: >"$tmp/etc/containers/oci/hooks.d/cuarbiter.json"
like "$(in_etc "$files/cuarbiter" node on 2>&1)" 'on: *' 'node on: an empty file'
in_etc "$files/cuarbiter" node off >/dev/null
like "$(in_etc sh -c 'mount --bind /usr/share /usr/share && mount -o remount,bind,ro /usr/share && exec "$@"' sh "$files/cuarbiter" node on 2>&1)" \
    'on: /etc/containers/oci/hooks.d/cuarbiter.json?/usr is read-only: hooks_dir of containers.conf *' 'node on: /usr is read-only'
like "$(in_etc "$files/cuarbiter" node off)" 'off: *' 'node off: one of two places'
# Engines start it as root.
mkdir -p "$tmp/public/folder"
cp "$files/cuarbiter" "$files"/*.so "$tmp/public/folder/"
open_to() { # WHO CHANGE UNDO
    eval "$2"
    for verb in 'node on' 'node check' 'cdi'; do
        like "$(in_etc "$tmp/public/folder/cuarbiter" $verb 2>&1)" '*can be changed by others than root*' "$verb: $1"
    done
    that "node on: $1: nothing is written" "$(ls "$tmp/etc/containers/oci/hooks.d")" ''
    eval "$3"
}
open_to 'a folder that anybody can write' 'chmod 777 "$tmp/public/folder"' 'chmod 755 "$tmp/public/folder"'
open_to 'above it one that anybody can write' 'chmod 777 "$tmp/public"' 'chmod 755 "$tmp/public"'
open_to "another's folder" 'chown 1000 "$tmp/public"' 'chown 0 "$tmp/public"'
open_to "a group's folder" 'chgrp 1000 "$tmp/public/folder" && chmod 775 "$tmp/public/folder"' 'chgrp 0 "$tmp/public/folder" && chmod 755 "$tmp/public/folder"'
open_to "another's library" 'chown 1000 "$tmp/public/folder/libcuarbiter.so"' 'chown 0 "$tmp/public/folder/libcuarbiter.so"'
like "$(in_etc "$tmp/public/folder/cuarbiter" node check 2>&1)" 'the hook works*' 'node check: and a folder of root'

# What the formats allow: oci-hooks(5) 1.0.0, and a hook of runtime-spec's config.md.
shape='(keys == ["args", "env", "path"]) and (.path | startswith("/")) and (.args | all(type == "string")) and (.env | all(test("^[A-Z]+=")))'
that 'node print: the form of hooks.d' "$("$files/cuarbiter" node print | jq "(keys == [\"hook\", \"stages\", \"version\", \"when\"])
    and .version == \"1.0.0\" and .when == {always: true} and .stages == [\"createContainer\"] and (.hook | $shape)")" true
that 'node print-oci: the form of a runtime' "$("$files/cuarbiter" node print-oci | jq "(keys == [\"hooks\"]) and
    (.hooks | keys == [\"createContainer\"]) and (.hooks.createContainer | length == 1) and (.hooks.createContainer[0] | $shape)")" true

# A whole configuration: containerd's base_runtime_spec.
fresh
bundle b "$gpu" "$(says 'tail -n 1 /etc/ld.so.preload')"
"$files/cuarbiter" node print-oci "$tmp/b/config.json" >"$tmp/base"
that 'node print-oci FILE: nothing but the hook is added' "$(jq -S 'del(.hooks)' "$tmp/base")" "$(jq -S . "$tmp/b/config.json")"
cp "$tmp/base" "$tmp/b/config.json"
for r in $runtimes; do
    that "$r: node print-oci FILE" "$(start $r b)" /opt/cuarbiter/libcuarbiter.so
done
like "$("$files/cuarbiter" node print-oci "$tmp/base" 2>&1; echo $?)" '*it has hooks already*1' 'node print-oci FILE: not twice'
head -c 300 "$tmp/base" >"$tmp/cut"
like "$("$files/cuarbiter" node print-oci "$tmp/cut" 2>&1; echo $?)" '*no runtime configuration that loads*1' 'node print-oci FILE: one that is cut'

# An engine that reads hooks.d.
need_podman
fresh
mkdir "$tmp/hooks.d"
"$files/cuarbiter" node print >"$tmp/hooks.d/cuarbiter.json"
image localhost/gpu "$root" 'CMD ["/app/init-cudart", "/app/libcudart.so.11.2.152"]' 'ENV LD_PRELOAD=/libstandin.so'
container() { # ARGUMENT...
    engine $r $hooks run --rm -v "$tmp/nvidiactl:/dev/nvidiactl" \
        -e STANDIN_KMD=535.261.03 -e STANDIN_ROOT=/geforce "$@" 2>&1
}
put_cdi "$files/cuarbiter"
gives() { word cudaGetDeviceCount "$(container "$@" localhost/gpu)"; }
# As node on leaves it: which folders podman reads without an option is its own choice.
switched_on() {
    unshare -m --propagation private sh -c 'over=$1 files=$2; shift 2
        mkdir -p "$over" && mount -t tmpfs none "$over" || exit
        for folder in /etc /usr/share; do
            mkdir "$over/${folder##*/}" "$over/${folder##*/}.work" && mount -t overlay none $folder \
                -o "lowerdir=$folder,upperdir=$over/${folder##*/},workdir=$over/${folder##*/}.work" || exit
        done
        "$files/cuarbiter" node on >/dev/null && exec "$@"' sh "$tmp/over" "$files" \
        podman --root "$tmp/pod/graph" --runroot "$tmp/pod/run" --tmpdir "$tmp/pod/tmp" --storage-driver "$storage" \
        run --rm -v "$tmp/nvidiactl:/dev/nvidiactl" -e STANDIN_KMD=535.261.03 -e STANDIN_ROOT=/geforce localhost/gpu 2>&1
}
that 'podman without an option, after node on' "$(word cudaGetDeviceCount "$(switched_on)")" 100
for r in $runtimes; do
    hooks="--hooks-dir $tmp/hooks.d"
    that "podman with $r: hooks.d" "$(gives)" 100
    that "podman with $r: --read-only --user" "$(gives --read-only --user 1000)" 100
    that "podman with $r: a user namespace" "$(gives --uidmap 0:100000:65536 --gidmap 0:100000:65536)" 100
    that "podman with $r: an annotation" "$(gives --annotation cuarbiter-policy=off)" 803
    that "podman with $r: CUARBITER_POLICY=off" "$(gives -e CUARBITER_POLICY=off)" 803

    # Beside an agent that mounts a file of its own there, as HAMi and Dynatrace do: both act.
    for row in 'HAMi-like|/libvgpu.so|quota|, cuInit' 'Dynatrace-like|/opt/dynatrace/libagent.so|agent|'; do
        does=${row##*|} row=${row%|*}
        cp "$built/${row##*|}.so" "$tmp/agent.so"
        row=${row%|*} agent=${row#*|}
        echo "$agent" >"$tmp/agent.preload"
        theirs="-v $tmp/agent.so:$agent:ro -v $tmp/agent.preload:/etc/ld.so.preload:ro"
        for way in hooks.d CDI; do
            hooks='' more=''
            [ $way = CDI ] && more="--device cuarbiter/shim=test$$" || hooks="--hooks-dir $tmp/hooks.d"
            said=$(container $theirs $more localhost/gpu)
            that "podman with $r: $way, beside a ${row%|*} preload: the driver that works" "$(word cudaGetDeviceCount "$said")" 100
            that "podman with $r: $way, beside a ${row%|*} preload: which acts" \
                "$(printf '%s\n' "$said" | grep -cx "agent: in .*init-cudart$does")" 1
            that "podman with $r: $way, beside a ${row%|*} preload: and comes first" \
                "$(container $theirs $more localhost/gpu cat /etc/ld.so.preload | grep -v '^agent' | tr '\n' ' ')" \
                "$agent /opt/cuarbiter/libcuarbiter.so "
        done
        that "podman with $r: a ${row%|*} preload alone" "$(word cudaGetDeviceCount "$(hooks='' && container $theirs localhost/gpu)")" 803
    done
done

# buildah: what a step gets, and what is left in the image.
buildah() { command buildah --root "$tmp/pod/graph" --runroot "$tmp/pod/run" --storage-driver "$storage" "$@"; }
printf 'FROM localhost/gpu\nRUN tail -n 1 /etc/ld.so.preload >/seen\n' >"$tmp/Dockerfile"
buildah bud -q --isolation oci --runtime runc --network host --hooks-dir "$tmp/hooks.d" -v "$tmp/nvidiactl:/dev/nvidiactl" \
    -t localhost/built -f "$tmp/Dockerfile" "$tmp/hooks.d" >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
that 'buildah: a step gets it; an empty file and an empty folder are left in the image' \
    "$(pod run --rm localhost/built sh -c 'cat /seen /etc/ld.so.preload; ls -A /opt/cuarbiter; ls -d /etc/ld.so.preload /opt/cuarbiter')" \
    '/opt/cuarbiter/libcuarbiter.so
/etc/ld.so.preload
/opt/cuarbiter'

# containerd, by ctr, with its own specification as the base: a daemon of the test's own.
if ! command -v ctr >/dev/null || ! command -v containerd >/dev/null; then
    missing 'ctr' 'no containerd'
    finish
fi
fresh
cat >"$tmp/ctr.sh" <<'CTR'
tmp=$1 files=$2 root=$3
umount -R /sys/fs/cgroup 2>/dev/null
mount -t cgroup2 none /sys/fs/cgroup && mount -t tmpfs none /run && mkdir "$tmp/ctr" && mount -t tmpfs -o size=64m none "$tmp/ctr" &&
    cd "$tmp/ctr" || exit
printf 'version = 2\nroot = "%s/root"\nstate = "%s/state"\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]\naddress = "%s/sock"\n[plugins."io.containerd.internal.v1.opt"]\npath = "%s/opt"\n' "$PWD" "$PWD" "$PWD" "$PWD" >config.toml
containerd -c config.toml >"$tmp/log" 2>&1 &
for n in $(seq 100); do [ -S sock ] && ctr -a sock version >/dev/null 2>&1 && break; sleep 0.1; done
ctr -a sock oci spec >base.json && "$files/cuarbiter" node print-oci base.json >hooked.json &&
    jq --arg root "$root" '.process.args = ["/bin/sh", "-c", "echo started; tail -n 1 /etc/ld.so.preload"] |
        .process.terminal = false | .root = {path: $root} | .process.env += ["NVIDIA_VISIBLE_DEVICES=all"] |
        .linux.resources = {} | .process.rlimits = [] | del(.linux.cgroupsPath)' hooked.json >config.json &&
    timeout 60 ctr -a sock run --rm -c config.json cuarbiter
CTR
that 'ctr: the base specification of containerd with the hook' \
    "$(unshare -mnp --fork --kill-child --mount-proc --propagation private sh "$tmp/ctr.sh" "$tmp" "$files" "$root" 2>"$tmp/err")" \
    'started
/opt/cuarbiter/libcuarbiter.so'
finish
