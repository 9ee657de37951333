#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where the answerer waits for what does not come: for a file system whose server does not answer, for a
# processor of which it gets little.
# shellcheck source=tests/fixtures/private.sh
. "$(dirname "$0")/../fixtures/private.sh"

# A file system that takes requests and does not answer: who waits for it cannot be killed.
mkdir "$tmp/asks" "$tmp/right" "$tmp/wrong" "$tmp/dead"
cp "$shim" "$tmp/asks/"
cp "$build/tests/preload/fake-answerer" "$tmp/asks/cuarbiter-answer"
cp "$build/tests/preload/libcuda-right.so" "$tmp/right/libcuda.so.1"
cp "$build/tests/preload/libcuda.so.1" "$tmp/wrong/"
unanswered() { # COMMAND...: for ten seconds; then whoever waits can end
    # shellcheck disable=SC2016
    unshare -m "$tree/tests/ways/unanswered.py" --taken 10 "$tmp/dead" "$@" 2>&1
}
asks() { # [WRAPPER...] BEHAVIOUR
    unanswered env CUARBITER_SYSROOT=/nonexistent "CUA_FAKE_TABLE=named * rename $tmp/right/libcuda.so.1" \
        CUA_FAKE_FAULT="asleep $tmp/dead/file" LD_LIBRARY_PATH="$tmp/wrong" LD_PRELOAD="$tmp/asks/libcuarbiter.so" "$@"
}
if [ "$(unanswered true)" != '' ]; then
    ok 'a file system that does not answer # SKIP not root, no mount namespaces or no FUSE here'
else
    got=$(asks "$built/asker" plain)
    ms=${got##*2, }
    ms=${ms% ms}
    is "${got#cuarbiter: warn: no-answer: *without cuarbiter}" "
2, $ms ms" 'as bare where the answerer cannot be killed'
    is "$((ms >= 1900 && ms <= 4500))" 1 "after two seconds, and one more for its end: $ms ms"
    like "$(asks "$built/asker" strangers)" '*
2, 0 strangers, then none' 'it is no child of the program'
    like "$(asks unshare -p --fork --kill-child "$built/asker" strangers)" '*
2, 0 strangers, then one' 'but of one that is the first of its namespace, as limits.md has it'
fi

# A cgroup that gets 2 % of a processor, of either version.
group=''
for folder in /sys/fs/cgroup /sys/fs/cgroup/cpu; do
    made=$folder/cuarbiter-test.$$
    [ -z "$group" ] && [ -e "$folder/cgroup.procs" ] && mkdir "$made" 2>/dev/null || continue
    if [ -e "$made/cpu.max" ] && echo '2000 100000' >"$made/cpu.max" ||
        { [ -e "$made/cpu.cfs_quota_us" ] && echo 2000 >"$made/cpu.cfs_quota_us"; }; then
        group=$made
    else
        rmdir "$made"
    fi
done
if [ -z "$group" ]; then
    ok 'little of a processor # SKIP no cgroup can be made here'
    finish
fi
known_machine "$tmp/machine"
export XDG_RUNTIME_DIR="$tmp/run" LD_LIBRARY_PATH="$tmp/machine/usr/local/cuda/compat"
start() {
    CUARBITER_SYSROOT=$tmp/machine LD_PRELOAD=$tmp/home/libcuarbiter.so "$programs/init-dlopen" 2>&1 || echo "status $?"
}
start >"$tmp/wanted"
began=$(date +%s)
for many in 1 4; do
    (
        sh -c 'echo $PPID' >"$group/cgroup.procs"
        for _ in $(seq $((60 / many))); do
            for _ in $(seq $many); do
                start &
            done
            wait
        done
    ) >"$tmp/got"
    sort -u "$tmp/got" >"$tmp/other"
    is "$(grep -c . "$tmp/got"), $(cat "$tmp/other")" "60, $(cat "$tmp/wanted")" \
        "60 starts with 2 % of a processor, $many at once, have one answer"
done
echo "# $(($(date +%s) - began)) s"
rmdir "$group"
finish
