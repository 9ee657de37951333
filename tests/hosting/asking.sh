#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a program notices while it is asked about: nothing. A check for each rule of shim/keeper.c,
# most of them with an answerer that takes its time, or does worse. broken-rules takes each rule out.
#
#   asking.sh [PART...]   CUARBITER_SHIM=FILE: another shim than the one that is built
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

mkdir "$tmp/home" "$tmp/right" "$tmp/wrong"
cp "${CUARBITER_SHIM:-$shim}" "$tmp/home/libcuarbiter.so"
cp "$build/tests/preload/fake-answerer" "$tmp/home/cuarbiter-answer"
cp "$build/tests/preload/libcuda-right.so" "$tmp/right/libcuda.so.1"
cp "$build/tests/preload/libcuda.so.1" "$tmp/wrong/"
chmod -R a+rX "$tmp"
export CUARBITER_SYSROOT=/nonexistent CUA_FAKE_TABLE="named * rename $tmp/right/libcuda.so.1"
export LD_LIBRARY_PATH="$tmp/wrong"

# BEHAVIOUR [FAULT]: what the program says, under the shim.
asks() {
    CUA_FAKE_FAULT=${2:-none} LD_PRELOAD=$tmp/home/libcuarbiter.so timeout 30 "$built/asker" "$1" 2>"$tmp/err" ||
        echo "status $?"
}

# FAULT BEHAVIOUR...
beside() {
    fault=$1
    shift
    CUA_FAKE_FAULT=$fault LD_PRELOAD=$tmp/home/libcuarbiter.so timeout 30 "$built/beside" "$@" 2>"$tmp/err" ||
        echo "status $?"
}

part_children() {
    # The keeper is no child that a program waits for, and nobody hears of it.
    is "$(asks strangers)" '1, 0 strangers, then none' 'wait(-1) in another thread gets no stranger'
    is "$(asks strangers waits)" '2, 0 strangers, then none' 'nor while the answerer takes its time'
    like "$(asks all-children)" '[12]' 'a thread that waits for every kind of child'
    # Which of two waiting threads gets it is chance.
    for _ in $(seq 50); do
        got=$(beside none any-child)
        [ "$got" = '1, unseen' ] || break
    done
    is "$got" '1, seen' 'one that waits for that sees it end with 0'
    is "$(beside slow two)" '1, 1' 'two threads ask at the same time'
    is "$(beside none ended-child)" '2, its own' 'beside an ended child of its own without an exit signal'
    is "$(asks child-signals)" '1, 0 signals' 'no SIGCHLD'
    is "$(asks ignores-children)" 1 'SIGCHLD is ignored'
    is "$(asks subreaper leaves)" '2, 0 signals, 0 strangers' \
        'what a killed answerer leaves does not become the child of a subreaper'
}

part_descriptors() {
    # One: ld.so's own, of the file that it maps.
    like "$(asks descriptors)" '1, [01] more, 0 left' 'no descriptor more'
    like "$(asks descriptors waits)" '2, [01] more, 0 left' 'nor while the answerer takes its time'
    is "$(asks closer)" 1 'a thread closes what it has not opened'
    is "$(asks closed)" '1, then 0' 'standard input, output and error are closed'
}

part_signals() {
    is "$(asks timer)" '1, 0 times elsewhere' 'a timer of 1 kHz'
    is "$(asks timer waits)" '2, 0 times elsewhere' 'the same, while the answerer takes its time'
    for number in 10 32 33; do
        is "$(asks signal-$number waits)" '2, 1 handled, at once' "signal $number for the thread ends the wait"
    done
    is "$(asks set-id waits)" '2, at once' 'another thread sets its user'
    # A collector that stops all threads, and waits for them.
    if gcc -D_GNU_SOURCE -o "$tmp/collector" "$tree/tests/hosting/collector.c" -lgc -ldl -lpthread 2>/dev/null; then
        is "$(CUA_FAKE_FAULT=waits LD_PRELOAD=$tmp/home/libcuarbiter.so timeout 30 "$tmp/collector" 2>&1)" \
            '2, at once' 'another thread collects garbage'
    else
        missing 'another thread collects garbage' 'no libgc here'
    fi
    is "$(asks blocked late)" 1 'a signal that the program itself has blocked ends nothing'
    is "$(beside slow signalled)" '1, 0 times elsewhere' 'a signal for every process of a tree'
    # NUMBER HOW WHERE WANTED NAME: what waits meanwhile. The numbers are the same on both architectures.
    while read -r number how where wanted name; do
        is "$(beside slow sent "$number" "$how" "$where")" "$(echo "$wanted" | tr _ ' ')" "$name: $how, for the $where"
    done <<EOF
20 default process 1,_0_handled,_later SIGTSTP
17 default process 1,_0_handled,_later SIGCHLD
28 default process 1,_0_handled,_later SIGWINCH
23 default thread 1,_0_handled,_later SIGURG
15 ignored process 1,_0_handled,_later SIGTERM
15 handled process 2,_1_handled,_at_once SIGTERM
10 handled process 1,_1_handled,_later SIGUSR1
10 handled thread 2,_1_handled,_at_once SIGUSR1
14 handled thread 1,_1_handled,_later SIGALRM
27 handled thread 1,_1_handled,_later SIGPROF
EOF
}

# SIGNAL: starts a program that is asked about for two seconds, and sends it that. Sets took, in
# hundredths of a second, until it ended.
signal_it() { # SIGNAL BEHAVIOUR
    python3 - "$1" env CUA_FAKE_FAULT=waits "LD_PRELOAD=$tmp/home/libcuarbiter.so" "$built/asker" "$2" <<'EOF'
import os, signal, subprocess, sys, time
number = getattr(signal, sys.argv[1])
if number not in (signal.SIGSTOP, signal.SIGKILL):
    signal.signal(number, signal.SIG_DFL) # a shell's background job ignores ^C and its like
program = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, start_new_session=True, text=True,
                           restore_signals=True)
def keeper_waits():
    """It has a group of its own by then: what is sent to the program's before that stops it too."""
    with open('/proc/%d/task/%d/children' % (program.pid, program.pid)) as children:
        return [pid for pid in map(int, children.read().split()) if os.getpgid(pid) == pid]
time.sleep(0.2)
for _ in range(100):
    if keeper_waits():
        break
    time.sleep(0.01)
begin = time.monotonic()
os.killpg(program.pid, number)
if number in (signal.SIGSTOP, signal.SIGTSTP):
    pid = 0
    while not pid and time.monotonic() < begin + 4:
        time.sleep(0.01)
        pid, status = os.waitpid(program.pid, os.WUNTRACED | os.WNOHANG)
    print('not within 4 s' if not pid else 'stopped' if os.WIFSTOPPED(status) else 'ended', end=', ')
    os.killpg(program.pid, signal.SIGCONT)
    print(program.communicate()[0].split(',')[0])
else:
    out = program.communicate()[0].strip()
    took = time.monotonic() - begin
    print(-program.returncode, out, 'at once' if took < 1.5 else 'late: %.2f' % took)
EOF
}
part_stops() {
    may_lack python3
    for number in INT TERM HUP QUIT USR1; do
        like "$(signal_it SIG$number plain)" '*  at once' "SIG$number ends a program that waits, at once"
    done
    is "$(signal_it SIGINT interrupted)" '0 2, 1 handled, at once at once' 'a handler of ^C runs at once'
    is "$(signal_it SIGSTOP plain)" 'stopped, 2' 'SIGSTOP of the group is reported'
}

# The answerer as others see it.
seen() {
    # shellcheck disable=SC3045 # every sh of Linux has it
    ulimit -c unlimited 2>/dev/null
    CUA_FAKE_FAULT=waits LD_PRELOAD=$tmp/home/libcuarbiter.so SECRET=x sh -c 'trap "" USR1
        exec "$@"' sh "$built/asker" plain >"$tmp/out" 2>&1 9>"$tmp/nine" &
    program=$!
    sleep 0.5
    keeper=$(cat "/proc/$program/task/$program/children")
    answerer=$(cat "/proc/${keeper% }/task/${keeper% }/children")
    answerer=${answerer% }
    ls -l "/proc/$answerer/fd" | sed -n 's/.* \([0-9]* -> [^:]*\).*/\1/p' | tr '\n' ';'
    echo "env $(wc -c <"/proc/$answerer/environ")" "words $(tr '\0' '\n' <"/proc/$answerer/cmdline" | wc -l)" \
        "$(sed -n 's/^Sig\(Blk\|Ign\|Cgt\):[[:space:]]*0*/\1=/p' "/proc/$answerer/status" | tr '\n' ' ')" \
        "core $(sed -n 's/^Max core file size *\([^ ]*\).*/\1/p' "/proc/$answerer/limits")"
    kill -9 $program
    wait $program 2>/dev/null
}
# At once, since the keeper ends an answerer that does nothing for two seconds.
ended() {
    CUA_FAKE_FAULT=waits LD_PRELOAD=$tmp/home/libcuarbiter.so "$built/asker" plain >/dev/null 2>&1 &
    program=$! answerer=
    for _ in $(seq 200); do
        keeper=$(cat "/proc/$program/task/$program/children" 2>/dev/null)
        answerer=$(cat "/proc/${keeper% }/task/${keeper% }/children" 2>/dev/null)
        [ -z "$answerer" ] || break
        sleep 0.01
    done
    kill -9 $program
    wait $program 2>/dev/null
    sleep 0.2
    [ -n "$answerer" ] || echo 'none was seen'
    grep -qs 'State:[[:space:]]*[RSD]' "/proc/${answerer% }/status" && echo 'it lives on'
}
part_answerer() {
    like "$(seen)" '0 -> /dev/null;1 -> /dev/null;2 -> /dev/null;3 -> pipe;4 -> pipe;env 0 words 1 Blk= Ign= Cgt= *core 0' \
        'the answerer has its five descriptors, no environment, no signal set, no core file'
    is "$(ended)" '' 'and it ends with the program'
    is "$(beside waits mapping)" '2; rw-s128K ---s64K rw-s32K ---s64K rw-s32K' 'its memory: two stacks, a guard below each'
    bare=$("$built/stack-use" 61440 libcuda.so.1)
    shimmed=$(LD_PRELOAD=$tmp/home/libcuarbiter.so "$built/stack-use" 61440 libcuda.so.1)
    is "$((${shimmed%% *} <= ${bare%% *} + 4096))" 1 \
        "at most 4 KiB of the program's stack more than bare: ${bare%% *}, ${shimmed%% *}"
    is "$(beside none dumpable)" '1, 1' 'the program may be dumped as before'
    if tracing 'what traces the program'; then
        strace -f -qq -o "$tmp/trace" -e trace=execve,pipe2 -E LD_PRELOAD="$tmp/home/libcuarbiter.so" \
            "$built/asker" plain >"$tmp/out"
        like "$(cat "$tmp/out"), $(grep -c . "$tmp/trace")" '1, *, 1' 'what traces the program follows no other process'
    fi
}

# What the keeper opens while it waits: each look-up may be a round trip to a server.
opened() {
    CUA_FAKE_FAULT=waits LD_PRELOAD=$tmp/home/libcuarbiter.so "$built/asker" plain >/dev/null 2>&1 &
    program=$!
    sleep 0.5
    keeper=$(cat "/proc/$program/task/$program/children")
    timeout 1 strace -qq -e trace=openat,pread64,ppoll,rt_sigtimedwait -o "$tmp/trace" -p "${keeper% }" 2>/dev/null
    kill -9 $program
    wait $program 2>/dev/null
    grep -Eq 'ppoll|timedwait' "$tmp/trace" && grep -c openat "$tmp/trace"
    # 50 times 20 ms.
    [ "$(grep -c ppoll "$tmp/trace")" -le 60 ] || echo "looks $(grep -c ppoll "$tmp/trace") times a second"
}
part_waiting() {
    if tracing 'the keeper that waits looks up no file, and sleeps'; then
        is "$(opened)" 0 'the keeper that waits looks up no file, and sleeps'
    fi
}

without_proc() { # COMMAND...
    # shellcheck disable=SC2016
    unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$@"
}

# Where no process is started.
part_refusals() {
    is "$(asks own-clone)" '2, no stranger, its own' 'beside a child of its own without an exit signal'
    for whose in new thread; do
        got=$(asks $whose-namespace)
        if [ "$got" = cannot ]; then
            ok "the next child would be the first of a namespace: $whose # SKIP no pid namespaces here"
        else
            is "$got" '2, then the first' "the next child would be the first of a namespace: $whose"
        fi
    done
    if [ "$("$built/sandbox" kill -- 2>&1)" = '?libnone.so not opened, ' ]; then
        is "$(LD_PRELOAD=$tmp/home/libcuarbiter.so "$built/sandbox" kill -- libcuda.so.1 2>&1)" \
            '?libnone.so not opened, libcuda.so.1 opened, ' 'a filter of its own that kills'
        if [ "$(id -u)" = 0 ] && without_proc true 2>/dev/null; then
            is "$(without_proc env LD_PRELOAD="$tmp/home/libcuarbiter.so" "$built/sandbox" kill -- libcuda.so.1 2>&1)" \
                '?libnone.so not opened, libcuda.so.1 opened, ' 'the same without /proc, where it cannot be seen'
        else
            ok 'the same without /proc # SKIP not root, or no mount namespaces here'
        fi
    else
        ok 'a filter of its own that kills # SKIP no seccomp here'
    fi
    is "$(asks processes)" 2 'no process more'
    is "$(asks files-4)" 2 'four descriptors'
    is "$(asks files-16)" 1 'sixteen descriptors'
}

within() { # LEAST MOST GOT
    ms=${3#2, }
    ms=${ms% ms}
    case $3 in
    '2, '*' ms') [ "$ms" -ge "$1" ] && [ "$ms" -le "$2" ] && echo yes || echo "$3" ;;
    *) echo "$3" ;;
    esac
}

# An inherited filter.
filtered() { # ERRNO|kill CALL
    timeout -s KILL 20 "$built/filtered" "$1" "$2" env "LD_PRELOAD=$tmp/home/libcuarbiter.so" "$built/asker" plain \
        2>"$tmp/err" || echo "status $?"
}

part_filters() {
    if [ "$("$built/filtered" kill clone "$built/asker" plain 2>&1 | cut -d, -f1)" != 2 ]; then
        ok 'an inherited filter # SKIP no seccomp here'
        return
    fi
    for call in clone exit_group pipe2 ppoll setitimer setpgid wait4; do
        got=$(filtered 1 $call)
        is "$(within 0 1500 "2, ${got#[12], }")" yes "a filter refuses $call"
    done
    # docs/limits.md has this list.
    for call in clone wait4 waitid readlinkat gettid; do
        is "$(filtered kill $call)" killed "a filter kills for $call"
    done
    # Before Linux 5.16 a kill in the keeper ends all that share its memory.
    printf '5.16\n%s\n' "$(uname -r)" | sort -CV || return
    for call in pipe2 setitimer setpgid; do
        like "$(filtered kill $call)" '2, *' "a filter kills for $call, which only the keeper needs"
    done
}

# A file system that does not answer, below the answerer itself.
unanswered() { # COMMAND...
    unshare -m "$tree/tests/ways/unanswered.py" "$tmp/dead" "$@"
}

part_unanswered() {
    mkdir "$tmp/dead" "$tmp/unanswered"
    cp "${CUARBITER_SHIM:-$shim}" "$tmp/unanswered/"
    ln -s "$tmp/dead/cuarbiter-answer" "$tmp/unanswered/"
    if [ "$(id -u)" = 0 ] && unanswered true 2>/dev/null; then
        is "$(within 9000 13000 "$(unanswered timeout -s KILL 20 env "LD_PRELOAD=$tmp/unanswered/libcuarbiter.so" \
            "$built/asker" plain 2>"$tmp/err" || echo "status $?")")" yes \
            'an answerer below a file system that does not answer is given up after ten'
    else
        ok 'an answerer below a file system that does not answer # SKIP not root, no mount namespaces or no FUSE here'
    fi
}

# Answers that are none: as bare, and in time.
part_answers() {
    for fault in silent cut status signal long; do
        like "$(asks plain $fault)" '2, [0-9]* ms' "an answer: $fault"
    done
    is "$(within 1900 4000 "$(asks plain waits)")" yes 'an answerer that does nothing is given up after two seconds'
    is "$(within 0 13000 "$(asks plain endless)")" yes 'an answer without an end'
    is "$(within 0 13000 "$(asks plain spins)")" yes 'an answerer that works for ever is given up after ten'
    cp "$build/tests/preload/foreign-answerer" "$tmp/home/cuarbiter-answer"
    like "$(asks plain)" '2, [0-9]* ms' 'an answer of another frame'
    cp "$build/tests/preload/fake-answerer" "$tmp/home/cuarbiter-answer"
    is "$(within 1900 4000 "$(asks plain lingers)")" yes 'a whole answer of one that does not end'
    is "$(beside lingers keeper-killed)" '2, at once' 'a whole answer, and the keeper is killed'
}

# Opened by another thread while the answerer takes its time.
meanwhile() { # LIBRARY
    rm -f "$tmp/log"
    CUA_MEANWHILE=$1 CUA_FAKE_LOG=$tmp/log asks meanwhile slow
    wc -l <"$tmp/log"
}

part_changes() {
    is "$(meanwhile "$tmp/wrong/libcuda.so.1")" '1, opened
2' 'a libcuda that is mapped meanwhile: asked once more'
    is "$(meanwhile "$built/libneed.so")" '1, opened
1' 'another library: not'
}

part_forks() {
    is "$(asks forked waits)" '2, the child 1' 'a child of a fork in the middle of a question asks itself'
}

# Who is asked has the rights of the program, or nobody is.
same_line() { # KEY: of what the kernel says of both
    [ "$(awk -v key="$1:" '$1 == key { if (key ~ /id:/) $4 = "saved"; print }' "$tmp/share/own")" = \
        "$(awk -v key="$1:" '$1 == key { if (key ~ /id:/) $4 = "saved"; print }' "$tmp/share/its")" ]
}
rights() { # HOW: what the program got, and what is other in the answerer
    rm -f "$tmp/share/"*
    CUA_FAKE_STATUS=$tmp/share/its LD_PRELOAD=$tmp/home/libcuarbiter.so \
        "$built/rights" "$1" "$tmp/share/own" 2>&1 || echo "status $?"
    [ ! -e "$tmp/share/its" ] || for key in Uid Gid Groups CapEff; do
        same_line $key || grep "^$key:" "$tmp/share/its"
    done
}

part_rights() {
    mkdir -m 777 "$tmp/share"
    chmod 711 "$tmp"
    is "$(rights none)" 1 'asked with the rights of the program'
    is "$(rights no-new-privileges)" 1 'and with no_new_privs'
    landlocked=$(rights landlock)
    if [ "$landlocked" = cannot ]; then
        ok 'Landlock, in which nothing is executed # SKIP no Landlock here'
    else
        like "$landlocked" '*no-answerer:*
2' 'Landlock, in which nothing is executed'
    fi
    if [ "$(id -u)" != 0 ]; then
        ok 'other rights # SKIP not root'
        return
    fi
    is "$(rights root-without)" 1 'root that has dropped capabilities: they stay dropped'
    is "$(rights user)" 1 'another user'
    is "$(rights euid)" 1 'another effective user'
    is "$(rights ambient)" 1 'another user with an ambient capability keeps it'
    for how in user-with fsuid fsgid noroot; do
        is "$(rights $how | tail -n 1)" 2 "rights that execve would change: $how"
    done
}

[ $# -gt 0 ] || set -- children descriptors signals stops answerer waiting refusals filters unanswered answers changes forks rights
for part in "$@"; do
    "part_$part"
done
finish
