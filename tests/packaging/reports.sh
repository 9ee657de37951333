#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What processes of containers got reaches the node's collector by the socket that cuarbiter hook mounts, with the container's
# ID; containers of runc and crun. What a sender can do: tests/command/collect.sh. The driver is a fake.
# shellcheck disable=SC1091,SC2016,SC2034,SC2086,SC2154
if [ "$(id -u)" = 0 ] && [ -z "${CUARBITER_APART:-}" ] && unshare -mnp --fork true 2>/dev/null; then
    CUARBITER_APART=1 exec unshare -mnp --fork --kill-child --mount-proc "$0"
fi
export CUARBITER_MKNOD=kept # containers have a /dev of their own
. "$(dirname "$0")/../fixtures/images.sh"
. "$(dirname "$0")/bundles.sh"
. "$(dirname "$0")/../fixtures/brought.sh"
need_runtimes
need_tool busybox strip
need_files
[ -n "${CUARBITER_APART:-}" ] || cannot 'no namespaces'
strip --strip-unneeded "$files/cuarbiter" "$files/cuarbiter-answer" "$files/libcuarbiter.so"
unset CUARBITER_DRIVERS CUARBITER_POLICY CUARBITER_TRIAL CUARBITER_LOG
for folder in /run /var/log; do mount -t tmpfs none $folder; done
log=/var/log/cuarbiter kmd=535.161.07 lib=/usr/lib/$(uname -m)-linux-gnu
machine=$tmp/machine home=$files
make_root "$machine" --kmd "$kmd" --gpu 'NVIDIA A100-SXM4-80GB' --host-umd "$kmd" >/dev/null
chmod -R a+rX "$machine" "$tmp/app"
root=$tmp/root
mkdir -p "$root/etc" "$root/proc" "$root/dev" "$root/sys" "$root/bin" "$root/tmp" "$root/run"
ldd "$tmp/app/program" "$files/cuarbiter" "$fixtures"/fake/*.so | tr ' \t' '\n\n' | grep '^/.*[^:]$' | sort -u | while read -r file; do
    mkdir -p "$root${file%/*}" && cp -L "$file" "$root$file"
done
cp "$(command -v busybox)" "$root/bin/busybox"
for name in sh cat ls grep sleep; do ln -s busybox "$root/bin/$name"; done
hook=$(hook "$files")
image=$(printf '.mounts += [{destination: "/machine", type: "bind", source: "%s", options: ["bind", "ro"]},
    {destination: "/app", type: "bind", source: "%s", options: ["bind", "ro"]}]
    | .process.env += ["CUARBITER_SYSROOT=/machine", "FAKE_ROOT=/machine", "LD_LIBRARY_PATH=/machine%s"]' "$machine" "$tmp/app" "$lib")
names='.annotations += {"io.kubernetes.cri.sandbox-namespace": "team-a", "io.kubernetes.cri.sandbox-name": "train-0"}'
run='/app/program /app/libcudart.so.12'
sees='ls /opt/cuarbiter/reports 2>/dev/null; grep -c " /opt/cuarbiter/reports " /proc/self/mountinfo'
get() { # RUNTIME SCRIPT FILTER...: in a container whose ID is like an engine's
    r=$1 script=$2
    shift 2
    rm -rf "${root:?}/opt" "$root/etc/ld.so.preload"
    bundle b "$gpu" "$hook" "$image" "$names" "$(says "$script")" "$@"
    id=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
    case $r in
    crun) (cd "$tmp/b" && under_cgroup2 crun run "$id") ;;
    *) (cd "$tmp/b" && "$r" run "$id") ;;
    esac </dev/null 2>"$tmp/err"
}
for r in $runtimes; do that "$r: no collector: no mount" "$(get $r "$sees")" 0; done
"$files/cuarbiter" node collect >"$tmp/collected" 2>&1 &
collector=$!
for _ in $(seq 100); do [ -s "$tmp/collected" ] || sleep 0.05; done
works="0 /machine$lib/libcuda.so.$kmd"
for r in $runtimes; do
    that "$r: the folder with the socket" "$(get $r "$sees; echo x 2>&1 >/opt/cuarbiter/reports/x | grep -c Read-only")" 'socket
1
1'
    for user in 0 1000; do
        rm -f $log/reports.jsonl
        get $r "$run; sleep 0.2" ".process.user = {uid: $user, gid: $user}" >"$tmp/out"
        that "$r: user $user: the program" "$(cat "$tmp/out")" "$works"
        # The container of one that has ended already is not known; the next may be slower.
        for _ in 1 2 3 4 5; do
            ! jq -e 'select(.container == null)' $log/reports.jsonl >/dev/null || {
                rm -f $log/reports.jsonl
                get $r "$run; sleep 0.2" ".process.user = {uid: $user, gid: $user}" >/dev/null
            }
        done
        that "$r: user $user: one line" "$(jq -r '[.container,.namespace,.pod,.uid,.exe,.to]|map(tostring)|join(" ")' $log/reports.jsonl)" \
            "$(jq -r .container $log/containers.jsonl | tail -n 1) team-a train-0 $user /app/program $lib/libcuda.so.$kmd"
    done
    # From a mount of the node's file system such a container could open the rest of it.
    that "$r: with CAP_SYS_ADMIN no mount" "$(get $r "$sees" '.process.capabilities |= map_values(. + ["CAP_SYS_ADMIN"])')" 0
    chmod 777 /run/cuarbiter/reports
    that "$r: a folder that others can write: no mount" "$(get $r "$sees")" 0
    chmod 755 /run/cuarbiter/reports

    # A new collector, while a container runs.
    rm -f $log/reports.jsonl
    get $r "while [ ! -e /tmp/go ]; do sleep 0.1; done; $run; sleep 0.2" >"$tmp/out" &
    child=$!
    sleep 1
    kill -9 $collector
    "$files/cuarbiter" node collect >"$tmp/collected" 2>&1 &
    collector=$!
    sleep 0.5
    : >"$root/tmp/go"
    wait $child
    rm "$root/tmp/go"
    that "$r: a container that runs reaches a new collector" "$(cat "$tmp/out") $(wc -l <$log/reports.jsonl)" "$works 1"
done
"$files/cuarbiter" summary $log >"$tmp/out"
like "$(cat "$tmp/out")" "*policy auto: /app/program
  got      $lib/libcuda.so.$kmd*" 'summary'
kill $collector
finish
