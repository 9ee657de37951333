#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whoever looks at another process, an image or a machine obeys nothing of it: no code of it is run,
# no file is written for it, no link leads out of it, and its policy is shown, not taken.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
may_lack jq

# A machine on which a trial has the last word: the note of its compat driver settles nothing.
make_root "$tmp/own" --kmd 535.161.07 --gpu 'NVIDIA A100-SXM4-80GB' \
    --compat 900.10.01,nonote,cuda=20000,branches=535 >/dev/null
compat=/usr/local/cuda/compat/libcuda.so.900.10.01
own=$tmp/own
mkdir -p "$own/etc" "$own/evil" "$own/third"
cp "$own$compat" "$own/third/libcuda.so.1"
cp "$built/marker.so" "$own/evil/libdl.so.2"

# An image: facts by --kmd, since nothing of it runs.
echo "CUARBITER_POLICY=off
CUARBITER_LOG=debug
CUARBITER_LOG_FILE=$tmp/written" >"$own/etc/cuarbiter.conf"
run status --sysroot "$own" --json
is "$rc:$(json '[.policy.kind, .works, .would_try]|join(" ")'):$err" "3:auto unknown $compat:" \
    'an image: what would be tried, and nothing of its site file'
[ -e "$tmp/written" ]
is $? 1 'no log where it says'
run status --sysroot "$own"
like "$out" '*not known, cuarbiter would try it*the image has a /etc/cuarbiter.conf, which this command does not read*' 'in words'
ln -s "$tmp/outside" "$own/etc/ld.so.preload"
echo "$files/libcuarbiter.so" >"$tmp/outside"
run status --sysroot "$own" --json
is "$(json '.shim.through|length')" 0 'no link of it leads out'
rm "$own/etc/ld.so.preload"
printf 'name,kmd,gpus,cc,toolkit\na100,535.161.07,NVIDIA A100-SXM4-80GB,8.0,\n' >"$tmp/machines.csv"
echo disabled >"$own/etc/cuarbiter.conf"
run matrix --unmounted --images "$own" --machines "$tmp/machines.csv" --json \
    --env CUARBITER_LOG=debug --env "CUARBITER_LOG_FILE=$tmp/written"
is "$rc:$(json '.[0].policy.kind + " " + .[0].would_try')" "3:auto $compat" 'the same in a matrix'
[ -e "$tmp/written" ]
is $? 1 'whose --env names no log of this command'
rm "$own/etc/cuarbiter.conf"

# CUARBITER_LIBCUDA is looked for where it would be opened.
cp "$own$compat" "$tmp/outside.so"
CUARBITER_LIBCUDA=$tmp/outside.so run status --sysroot "$own" --json
like "$(json .reason):$err" "[!p]*:*warn: bad-libcuda: CUARBITER_LIBCUDA=$tmp/outside.so is ignored: No such file*" \
    'a CUARBITER_LIBCUDA that is only out here'
CUARBITER_LIBCUDA=/third/libcuda.so.1 run status --sysroot "$own" --json
is "$(json '[.reason, .chosen.path]|join(" ")')" 'policy-file /third/libcuda.so.1' 'and one that is in there'
run matrix --unmounted --images "$own" --machines "$tmp/machines.csv" --json --env CUARBITER_LIBCUDA=/third/libcuda.so.1
is "$(json '.[0]|[.reason, .chosen.path]|join(" ")')" 'policy-file /third/libcuda.so.1' 'also in a matrix'

# What opening would change is not opened: a pipe that somebody waits at, a terminal, a device.
mkdir "$own/trap"
mkfifo "$own/trap/libcuda.so.1"
: >"$tmp/opened"
(echo x >"$own/trap/libcuda.so.1"; echo opened >"$tmp/opened") 2>/dev/null &
waits=$!
LD_LIBRARY_PATH=/trap run status --sysroot "$own" --json
is "$rc:$(json '[.candidates[].path|select(contains("trap"))]|length'):$(cat "$tmp/opened")" '3:1:' 'a pipe in the place of a driver is not opened'
kill $waits 2>/dev/null
wait $waits 2>/dev/null
rm -r "$own/trap"

# What it says reaches no terminal: names, folders, values.
esc=$(printf '\033]0,x\a\033[2J')
nl='
forged line'
mkdir "$own/opt"
odd="$own/opt/$esc$nl$(printf '\377')"
mkdir "$odd"
cp "$own$compat" "$odd/libcuda.so.1"
clean() { # CODE NAME: no control character but the end of a line, UTF-8 throughout
    is "$(tr -d '\n' <"$1" | LC_ALL=C tr -d '\040-\176\200-\377' | wc -c):$(iconv -f utf-8 -t utf-8 "$1" >/dev/null 2>&1; echo $?):$(grep -c '^forged' "$1")" \
        0:0:0 "$2"
}
LD_LIBRARY_PATH="${odd#"$own"}" CUARBITER_LOG=debug run status --sysroot "$own"
clean "$tmp/out" 'a folder with escapes, a new line and bytes that are no UTF-8: text'
like "$out" '*/opt/\\x1b\]0,x\\x07\\x1b\[2J\\x0aforged line\\xff/libcuda.so.1*' 'but what it is can be read'
clean "$tmp/err" 'the log'
LD_LIBRARY_PATH="${odd#"$own"}" CUARBITER_LOG=debug CUARBITER_LOG_FORMAT=json run status --sysroot "$own" --json
clean "$tmp/out" 'JSON'
clean "$tmp/err" 'the log as JSON'
like "$(jq -c . "$tmp/err" && echo 'all of it')" '*all of it' 'which can be read as such'
run inspect "$odd/libcuda.so.1"
clean "$tmp/out" 'inspect'
run inspect "$odd/none"
clean "$tmp/err" 'a complaint'
run matrix --images "$odd" --machines "$tmp/machines.csv"
clean "$tmp/out" 'matrix'
rm -r "$own/opt"

# Another process, which asks for all of that.
need_tool python3
start() { # ROOT ENVIRONMENT...
    : >"$tmp/loaded"
    root=$1
    shift
    env "$@" python3 -c "
import os, time
if '$root' != '/':
    os.chroot('$root')
    os.chdir('/')
print(flush=True)
time.sleep(60)" >"$tmp/loaded" &
    other=$!
    while [ ! -s "$tmp/loaded" ]; do sleep 0.1; done
}
stop() {
    kill $other
    wait $other 2>/dev/null
}
start / CUARBITER_TRIAL=always CUARBITER_LOG=debug CUARBITER_LOG_FILE="$tmp/written" MARK="$tmp/ran" \
    LD_LIBRARY_PATH="$own/evil" CUARBITER_SYSROOT="$own" CUDA_VERSION=20.0
rm -f "$tmp/ran"
run status --pid $other
is "$(ls "$tmp/ran" "$tmp/written" 2>/dev/null)" '' \
    'a process: nothing of it was run, no log was written where it says'
like "$out" "*Its settings    CUARBITER_* is * in its environment
*CUARBITER_LOG_FILE is $tmp/written in its environment
*" 'its settings are shown'
stop
[ "$(id -u)" = 0 ] || cannot 'not root: a process in a root of its own'
cp "$tmp/outside" "$own/preload"
start "$own" CUARBITER_TRIAL=always CUARBITER_LOG=debug CUARBITER_LOG_FILE=/written MARK=/ran \
    LD_LIBRARY_PATH=/third CUARBITER_POLICY=compat CUDA_VERSION=20.0
rm -f "$own/ran"
run status --pid $other --json
is "$rc:$(json '[.kmd.version, .policy.kind, .works, .its_settings.environment.CUARBITER_POLICY,
    .its_settings.reason]|join(" ")')" '3:535.161.07 auto unknown compat policy-compat' \
    'in a root of its own: its own policy and what that leads to is shown'
is "$(json '.without.path') $(json '.would_try|startswith("/")')" '/third/libcuda.so.1 true' \
    'its LD_LIBRARY_PATH is a fact'
is "$(find "$own/ran" "$own/written" /ran /written 2>/dev/null)" '' 'nothing was run or written'
run status --pid $other
like "$out" "*not known, cuarbiter would try it*Its settings *CUARBITER_POLICY is compat in its environment
*with these settings: /* (policy-compat)*" 'in words'
stop
start "$own" CUARBITER_MINOR=auto LD_LIBRARY_PATH=/third
CUARBITER_POLICY=off CUARBITER_MINOR=yes run status --pid $other --json
is "$(json '[.policy.kind, .its_settings.reason == "policy-off"]|join(" ")')" 'off false' \
    'of the settings of this command none counts as its own'
stop

# In a mount namespace of its own, as a service of systemd may be: the site file is this command's, or another.
if has_own_etc; then
    echo '# nothing' >"$tmp/etc/cuarbiter.conf"
    : >"$tmp/other.conf"
    # shellcheck disable=SC2016
    for change in true 'mount --bind "$1" /etc/cuarbiter.conf'; do
        with_etc sh -c 'unshare -m sh -c "$1 && exec sleep 60" sh "$2" & other=$!
            while [ "$(cat /proc/$other/comm)" != sleep ]; do sleep 0.1; done
            "$3" status --pid $other; kill $other' sh "$change" "$tmp/other.conf" "$cuarbiter" >"$tmp/out"
        is "$(grep -o '[^ ]* [^ ]* an* /etc/cuarbiter.conf.*' "$tmp/out")" \
            "$([ "$change" = true ] || echo 'process has an /etc/cuarbiter.conf of its own, which this command does not read')" \
            "a process in a mount namespace: ${change%% *}"
    done
else
    skip 'a process in a mount namespace' 'no mount namespaces here'
fi

# Links and folders that change while they are looked at lead nowhere but into its root.
echo "$files/libcuarbiter.so" >"$tmp/etc-outside"
start "$own"
python3 -c "
import os, sys
own, outside = sys.argv[1:]
at = own + '/etc/ld.so.preload'
while True:
    for target in (outside, '/preload', '../../../../../..' + outside):
        os.symlink(target, at + '.new')
        os.rename(at + '.new', at)
    os.rename(own + '/etc', own + '/etc2')
    os.symlink('/../..' + os.path.dirname(outside), own + '/etc')
    os.unlink(own + '/etc')
    os.rename(own + '/etc2', own + '/etc')
" "$own" "$tmp/etc-outside" &
swaps=$!
rm "$own/preload"
printf '/inside/libcuarbiter.so' >"$own/preload"
out_seen=0 inside_seen=0
for _ in $(seq 30); do
    run status --pid $other --json
    case $(json '.shim.through|length') in 0) ;; *) inside_seen=$((inside_seen + 1)) ;; esac
    case $(json '.shim|tostring') in *"$files"*) out_seen=$((out_seen + 1)) ;; esac
done
kill $swaps
wait $swaps 2>/dev/null
stop
is "$out_seen" 0 "links that are swapped in a hurry lead nowhere outside (inside: $inside_seen of 30)"

finish
