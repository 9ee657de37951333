#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter node collect: reports of containers, known by their senders' cgroups and not by what they say.
# Containers are cgroups here; tests/packaging/reports.sh has real ones.
# shellcheck disable=SC2016
if [ "$(id -u)" = 0 ] && [ -z "${CUARBITER_APART:-}" ] && unshare -mnp --fork true 2>/dev/null; then
    CUARBITER_APART=1 exec unshare -mnp --fork --kill-child --mount-proc "$0"
fi
# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
[ -n "${CUARBITER_APART:-}" ] || cannot 'not root, or no namespaces'
need_tool jq python3 strace
send=$tree/tests/command/send.py
for folder in /run /var/log /opt; do mount -t tmpfs none $folder; done
# Not below $tmp, which is removed at the end.
groups=/mnt/cuarbiter-test-$(date +%s%N)
mount -t cgroup2 none /mnt && mkdir "$groups" || cannot 'no cgroup2 here'
ip link set lo up 2>/dev/null
cgroups='' collector=''
leave() {
    [ -z "$collector" ] || kill -9 "$collector" 2>/dev/null
    for each in $cgroups; do
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            while read -r pid; do kill -9 "$pid" 2>/dev/null; done <"$each/cgroup.procs"
            rmdir "$each" 2>/dev/null && break
            sleep 0.1
        done
    done
    rmdir "$groups"
}
trap 'status=$?; leave; (exit $status); cua_cleanup' EXIT
container() { # LETTER: its ID is 64 of them
    id=$(printf "%064d" 0 | tr 0 "$1")
    mkdir "$groups/$id.scope" && cgroups="$groups/$id.scope $cgroups"
}
of() { printf '%s/%064d.scope' "$groups" 0 | sed "s,\(.*/\)\(0*\),\1\2,; s,0\{64\},$(printf %064d 0 | tr 0 "$1"),"; }
id_of() { printf %064d 0 | tr 0 "$1"; }
for letter in a b c d e f 1 2 3 4 5; do container $letter; done

log=/var/log/cuarbiter place=/opt/cuarbiter/reports/socket
good='{"time":"2026-11-22T10:00:00.000Z","host":"said","pid":7,"uid":5,"exe":"/bin/train","policy":"auto","level":"info","code":"native","reason":"native","from":null,"to":"/usr/lib/libcuda.so.1","without":null,"message":"m"}'
collect() {
    "$command" node collect >"$tmp/collected" 2>"$tmp/complaints" &
    collector=$!
    for _ in $(seq 100); do
        [ ! -s "$tmp/collected" ] || return 0
        sleep 0.05
    done
    not_ok 'the collector starts' "$(cat "$tmp/complaints")"
}
# Waits until the collector writes nothing more.
settle() {
    for _ in $(seq 20); do
        now=$(lines)
        sleep 0.3
        [ "$(lines)" != "$now" ] || return 0
    done
}
lines() { cat $log/reports.jsonl 2>/dev/null | wc -l; }
# Sends, and waits until the collector has taken what came before and after it.
sends() { # TEXT CONTAINER [UID [HOW [NUMBER]]]
    [ "$2" = - ] && group=- || group=$(of "$2")
    printf '%s\n' "$1" | python3 "$send" $place "$group" "${3:-1000}" "${4:-stays}" "${5:-1}" 2>&1
}
last() { tail -n 1 $log/reports.jsonl | jq -r "$1"; }
install_files "$tmp/files"
make_root "$tmp/machine" --kmd 535.261.03 --host-umd 535.261.03 --gpu 'NVIDIA GeForce RTX 4090' --compat 575.57.08 >/dev/null
cat >"$tmp/program.py" <<'PY'
import ctypes, os, sys
if sys.argv[1] != '-':
    open(sys.argv[1] + '/cgroup.procs', 'w').write(str(os.getpid()))
print(ctypes.CDLL('libcuda.so.1').cuInit(0))
PY
program() { # CONTAINER
    env CUARBITER_SYSROOT="$tmp/machine" FAKE_ROOT="$tmp/machine" LD_PRELOAD=/opt/cuarbiter/libcuarbiter.so python3 "$tmp/program.py" "$(of "$1")" 2>&1
}
# As the hook does it.
mkdir -p /opt/cuarbiter
mount --bind "$tmp/files" /opt/cuarbiter
bare=$(program a)
mkdir -m 755 $log
printf '{"time":"2026-11-24T03:12:09.000Z","container":"%s","hook":"added","why":null,"namespace":"team-a","pod":"train-0","name":"ma\\"in","image":null,"drivers":null}\n' \
    "$(id_of a)" >$log/containers.jsonl
install -d -o 1 /run/cuarbiter
like "$("$command" node collect 2>&1)" 'cuarbiter: node: collect: /run/cuarbiter: not a folder, or it belongs to another user' "another user's folder"
rmdir /run/cuarbiter
collect
mkdir /opt/cuarbiter/reports
mount --bind /run/cuarbiter/reports /opt/cuarbiter/reports && mount -o remount,bind,ro /opt/cuarbiter/reports

# Who it was.
is "$(sends "$good" a)" '' 'an unprivileged sender'
is "$(last '[.container,.namespace,.pod,.name,.uid,.host,.pid,.exe,.from,.to]|map(tostring)|join(" ")')" \
    "$(id_of a) team-a train-0 ma\"in 1000 $(uname -n) 7 /bin/train null /usr/lib/libcuda.so.1" 'the container, by its cgroup'
like "$(last .time)" '20??-??-??T??:??:??.000Z' 'the time'
[ "$(last .time)" = 2026-11-22T10:00:00.000Z ] && not_ok 'the time is the node'\''s' || ok 'the time is the node'\''s'
sends "$good" b 0
is "$(last '[.container,.namespace,.pod,.name,.uid]|map(tostring)|join(" ")')" "$(id_of b) null null null 0" 'a container that the hook has not noted'
forged=$(echo "$good" | jq -c --arg id "$(id_of a)" '. + {container: $id, namespace: "x", pod: "x", name: "x", hook: "added", why: null, image: "x"}')
sends "$forged" b
is "$(last '[.container,.namespace,.pod,.name,.hook]|map(tostring)|join(" ")')" "$(id_of b) null null null null" 'what a sender says of itself does not count'
mkdir "$(of b)/$(id_of a)" && cgroups="$(of b)/$(id_of a) $cgroups"
printf '%s\n' "$good" | python3 "$send" $place "$(of b)/$(id_of a)" 1000 stays
is "$(last .container)" "$(id_of b)" 'a cgroup of a container, named as another container'
sends "$good" -
is "$(last '.container')" null 'a process of the node'

# What it says.
before=$(lines)
n=0
for bad in '' '[]' '{}' 'x' '"x"' "$good$good" "$good
$good" "$(echo "$good" | jq -c 'del(.reason)')" "$(echo "$good" | jq -c '.policy="x"')" "$(echo "$good" | jq -c '.to={}')" \
    "$(echo "$good" | jq -c '.without="0"')" "$(echo "$good" | jq -c '.pid=-1')" "$(echo "$good" | sed 's/"pid":7/"pid":7,"pid":8/')" \
    "$(echo "$good" | sed 's/"m"/"a\tb"/')" "$(echo "$good" | sed "s/\"m\"/\"$(printf %1100d 0)\"/")" \
    "$(echo "$good" | sed "s/\"m\"/$(printf %100d 0 | tr 0 '[')/")"; do
    n=$((n + 1))
    sends "$bad" a
done
echo "$good" | sed "s/^{/{\"x\":\"$(printf %8200d 0)\",/" >"$tmp/long"
python3 "$send" $place "$(of a)" 1000 stays <"$tmp/long"
is "$(lines)" "$before" "$n that are no report, and one that is too long: no line"
sends "$(echo "$good" | sed 's/"m"/"a\\nb\\u001b\\u0000\\"\xff\xc2\x85"/')" a
is "$(lines)" $((before + 1)) 'escapes: one line'
is "$(last '.message|@json')" "$(printf '"a\\nb\\u001b\357\277\275\\"\357\277\275\302\205"')" 'escapes: the text'
is "$(jq -c . $log/reports.jsonl | wc -l)" "$(lines)" 'all lines are JSON'

# A sender that has ended, and another process that has its number.
before=$(lines)
kill -STOP $collector
for _ in 1 2 3; do sends "$good" c 1000 ends; done
kill -CONT $collector
settle
is "$(lines):$(tail -n 3 $log/reports.jsonl | jq -c .container | tr '\n' ' ')" "$((before + 3)):null null null " 'senders that have ended are not known'
if echo 3000 2>/dev/null >/proc/sys/kernel/ns_last_pid; then
    kill -STOP $collector
    printf '%s\n' "$good" | python3 -c 'import os, sys
open("/proc/sys/kernel/ns_last_pid", "w").write("4000")
pid = os.fork()
if not pid:
    os.execvp("python3", ["python3"] + sys.argv[1:])
os.waitpid(pid, 0)' "$send" $place "$(of c)" 1000 ends
    sleep 0.1
    python3 -c 'import os, sys, time
there, here = os.pipe()
open("/proc/sys/kernel/ns_last_pid", "w").write("4000")
pid = os.fork()
if not pid:
    open(sys.argv[1], "w").write(str(os.getpid()))
    os.write(here, b"x")
    os.close(here)
    time.sleep(4)
    os._exit(0)
os.read(there, 1)
print(pid)' "$(of a)/cgroup.procs" >"$tmp/number"
    is "$(cat "$tmp/number") $(cat /proc/4001/cgroup | grep -c "$(id_of a)")" '4001 1' "another container's process has the number"
    kill -CONT $collector
    settle
    is "$(last .container)" null 'it does not count for the sender'
else
    missing ns_last_pid 'no /proc/sys/kernel/ns_last_pid'
fi

# A descriptor comes along, and closing it waits.
before=$(find /proc/$collector/fd -type l | wc -l)
kill -STOP $collector
for _ in 1 2 3 4 5; do sends "$good" c 1000 linger; done
kill -CONT $collector
settle
sends "$good" b
is "$(last .container) $(find /proc/$collector/fd -type l | wc -l)" "$(id_of b) $before" 'descriptors that come along: nothing waits, nothing stays open'

# Floods: of one container, of all.
size() { stat -c %s $log/reports.jsonl $log/reports.1.jsonl 2>/dev/null | awk '{n += $1} END {print n + 0}'; }
before=$(size)
begin=$(awk '{print $14 + $15}' /proc/$collector/stat)
sends "$good" d 1000 flood 5000 &
flood=$!
sends "$good" d 1000 flood 5000
wait $flood
more=$(($(size) - before))
# A sender that has ended before is none of the container's.
[ $more -le 140000 ] && [ $more -gt 2000 ] && ok 'a flood of one container is bounded' || not_ok 'a flood of one container is bounded' $more
echo "# a flood of 10,000: $more bytes, $(($(awk '{print $14 + $15}' /proc/$collector/stat) - begin)) ticks of the collector"
sends "$good" e
is "$(last .container)" "$(id_of e)" "another container's report after it"
head -c 1048576 /dev/zero | tr '\0' '\n' >>$log/reports.jsonl
sends "$good" e
is "$(lines) $(($(stat -c %s $log/reports.1.jsonl) / 1048576))" '1 1' 'at a mebibyte the file is turned'
long=$(echo "$good" | sed "s/\"m\"/\"$(printf %1000d 0)\"/; s,/bin/train,/$(printf %1000d 0),; s,/usr/lib,/$(printf %1000d 0),")
for letter in 1 2 3 4 5 a b c d e f; do sends "$long" $letter 1000 flood 300; done
[ "$(size)" -le $((3 << 20)) ] && ok 'a flood of many containers is bounded' || not_ok 'a flood of many containers is bounded' "$(size)"
echo "# of eleven containers: $(size) bytes in both files"
"$command" summary $log >"$tmp/summary"
like "$(cat "$tmp/summary")" '*Containers      1, of which 1 got cuarbiter*' 'summary reads both files'
like "$(cat "$tmp/summary")" '*policy auto: /bin/train*got      /usr/lib/libcuda.so.1 (native)*' 'summary: what they got'
kill -TERM $collector
wait $collector
is "$?" 0 'SIGTERM ends it'
like "$(cat "$tmp/complaints")" "cuarbiter: node: collect: * reports written, * not known; dropped: 1[0-9] not a report, 1 too long, *[1-9] above the limit of bytes per hour, 0 not written" 'it counts what it dropped'

# Programs under the shim.
rm -rf ${log:?}/*
is "$(program a)" "$bare" 'nobody listens: the program says what it says without'
collect
is "$(program a)" "$bare" 'somebody does: the same'
sleep 0.3
is "$(lines) $(last '.exe|test("python")')" '1 true' 'one line of a program'
for _ in $(seq 40); do program a >/dev/null; done
sleep 0.3
known=$(jq -r .container $log/reports.jsonl | grep -cx "$(id_of a)")
is "$(lines)" 41 'forty more'
echo "# of 41 programs the container of $known was known"
[ "$known" -ge 20 ] && ok 'most senders are known' || not_ok 'most senders are known' "$known"
kill -STOP $collector
sends "$good" b 1000 flood 1 && for _ in $(seq 12); do timeout 1 python3 "$send" $place - 1000 ends </dev/null 2>/dev/null; done
begin=$(date +%s%N)
is "$(program a)" "$bare" 'a full queue: the program says the same'
took=$((($(date +%s%N) - begin) / 1000000))
[ $took -lt 2000 ] && ok 'a full queue: nothing waits' || not_ok 'a full queue: nothing waits' "$took ms"
kill -9 $collector
wait $collector 2>/dev/null
is "$(program a)" "$bare" 'a collector that was killed: the same'
rm $log/reports.jsonl
collect
is "$(program a)" "$bare" 'a new collector: the same'
sleep 0.3
is "$(lines)" 1 'a new collector: a container that runs reaches it'
CUARBITER_POLICY=off program a >/dev/null
sleep 0.3
is "$(lines)" 1 'policy off: no line'

# What a container could do to the node: nothing to the socket, and users of the node do not reach it.
is "$(rm /opt/cuarbiter/reports/socket 2>&1; chmod 0 /opt/cuarbiter/reports/socket 2>&1; touch /opt/cuarbiter/reports/x 2>&1)" \
    "rm: cannot remove '/opt/cuarbiter/reports/socket': Read-only file system
chmod: changing permissions of '/opt/cuarbiter/reports/socket': Read-only file system
touch: cannot touch '/opt/cuarbiter/reports/x': Read-only file system" 'the socket is read-only'
like "$(printf '%s\n' "$good" | python3 "$send" /run/cuarbiter/reports/socket - 1000 stays 2>&1)" '*Permission denied*' 'a user of the node does not reach it'
finish
