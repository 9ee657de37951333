#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Machines made by scripts/machine: what programs answer in each, bare and with the shim, and that
# nothing of a machine is left or seen outside.
# shellcheck source=tests/fixtures/lib.sh disable=SC2154
. "$(dirname "$0")/../fixtures/lib.sh"

reason=$("$tree/scripts/machine" --check) || cannot "$reason"
need_drivers 535.261.03 550.163.01 555.58.02
install_files "$tmp/files"

machine() {
    "$tree/scripts/machine" --files "$tmp/files" "$@"
}

# cuInit's answer, and which driver is mapped; or what kept the program from asking.
answer() { # ARGUMENT...
    line=$(machine "$@" 2>&1)
    case $line in
    *cuInit=*) echo "$(word cuInit "$line") $(word maps "$line" | sed 's/.*\.so\.//')" ;;
    *cannot*open*) echo 'no libcuda' ;;
    *) echo "$line" ;;
    esac
}

for row in right:100:535.261.03 wrong:803:555.58.02 wrong-path:803:555.58.02; do
    name=${row%%:*} bare=${row#*:}
    for p in dlopen linked; do
        is "$(answer "$name" -- "$programs/init-$p")" "$(echo "$bare" | tr : ' ')" "$name: $p, bare"
        is "$(answer --shim "$name" -- "$programs/init-$p")" '100 535.261.03' "$name: $p, shim"
    done
done
for p in dlopen linked; do
    for shim in '' --shim; do
        # shellcheck disable=SC2086
        is "$(answer $shim none -- "$programs/init-$p")" 'no libcuda' "none: $p${shim:+, shim}"
    done
done
is "$(answer --native 525.147.05 --bundled 550.163.01 wrong -- "$programs/init-dlopen")" \
    '803 550.163.01' 'other versions'
is "$(answer --shim --native 525.147.05 --bundled 550.163.01 wrong -- "$programs/init-dlopen")" \
    '100 525.147.05' 'other versions, shim'
if command -v python3 >/dev/null; then
    for name in right wrong; do
        answer --shim --patched $name -- "$programs/init-dlopen" >"$tmp/patched"
        is "$(cat "$tmp/patched")" '100 535.261.03' "$name: patched, shim"
    done
fi

# Valgrind lets go of what is executed again, so a linked program keeps what it got.
if command -v valgrind >/dev/null; then
    for row in dlopen:100 linked:803; do
        is "$(word cuInit "$(machine --shim wrong -- valgrind -q "$programs/init-${row%:*}" 2>/dev/null)")" \
            "${row#*:}" "wrong: ${row%:*}, valgrind"
    done
    # shellcheck disable=SC2016
    is "$(word cuInit "$(machine --shim wrong -- sh -c '
        LD_PRELOAD=$(/opt/cuarbiter/cuarbiter status 2>/dev/null | sed -n "s/^ *\*.* //p"):$LD_PRELOAD valgrind -q "$1"' \
        sh "$programs/init-linked" 2>/dev/null)")" 100 'wrong: linked, valgrind, the driver named as docs/limits.md has it'
else
    missing 'wrong: valgrind' 'no valgrind here'
fi

# A GPU that no table knows: the driver is tried in a child, which meets the same kernel.
is "$(answer --shim --gpu 'NVIDIA Unknown 1' wrong -- "$programs/init-dlopen")" '100 535.261.03' 'wrong: a trial decides'

# What programs look at.
inside() {
    machine wrong -- "$@" 2>&1
}
is "$(inside ldconfig -p | sed -n 's/.*libcuda\.so\.1 .*=> //p' | head -n 1)" \
    /usr/local/cuda-12.5/compat/libcuda.so.1 'the bundled driver is first in the cache'
like "$(inside head -n 1 /proc/driver/nvidia/version)" '*Module  535.261.03  *' 'the version in /proc'
like "$(inside cat /proc/driver/nvidia/gpus/0000:01:00.0/information)" '*RTX 3090*' 'the GPU in /proc'
is "$(machine --gpu 'Tesla T4' right -- cat /proc/driver/nvidia/gpus/0000:01:00.0/information |
    grep -c 'Tesla T4')" 1 'another GPU'
like "$(word nvmlInit_v2 "$(inside "$programs/init-ml")")" 0 'NVML answers'
is "$(inside sh -c 'exit 7'; echo $?)" 7 "the command's exit status"
is "$(inside sh -c 'echo one >/usr/local/left; echo two >/etc/left; cat /usr/local/left /etc/left')" \
    'one
two' 'it may be written to'
is "$(machine --private "$tmp" right -- ls -A "$tmp")" '' 'a folder of its own'
got=$(machine --private "/no-such-$$" right -- true 2>&1)
is "$?:$(ls -d "/no-such-$$" 2>&1)" "125:ls: cannot access '/no-such-$$': No such file or directory" \
    'a folder that is not there is not made on the real machine'
like "$got" "machine: --private /no-such-$$: there is no such folder*" 'but refused'
mkdir -p "$tmp/layer/usr/bin"
echo 'echo from the layer' >"$tmp/layer/usr/bin/layered" && chmod +x "$tmp/layer/usr/bin/layered"
is "$(machine --layer "$tmp/layer" right -- layered)" 'from the layer' 'a layer over it'

# Outside, while two of them run and afterwards.
state() {
    cat /proc/mounts
    ls -A / /usr/local /usr/bin /opt /run /dev /dev/shm /etc/ld.so.conf.d /var/cache/ldconfig
    md5sum /etc/ld.so.cache
}
state >"$tmp/before"
for i in 1 2; do
    # shellcheck disable=SC2016
    machine --shim wrong -- sh -c ': >"$1/up$2"
        while [ ! -e "$1/go" ]; do sleep 0.1; done; exec "$3"' sh \
        "$tmp" "$i" "$programs/init-dlopen" >"$tmp/out$i" 2>&1 &
done
for _ in $(seq 100); do
    [ ! -e "$tmp/up1" ] || [ ! -e "$tmp/up2" ] || break
    sleep 0.1
done
state >"$tmp/during"
: >"$tmp/go"
wait
state >"$tmp/after"
for i in 1 2; do
    is "$(word cuInit "$(cat "$tmp/out$i")")" 100 "two at a time: $i"
done
is "$(diff "$tmp/before" "$tmp/during")" '' 'nothing is seen outside'
is "$(diff "$tmp/before" "$tmp/after")" '' 'nothing is left'

# A machine that is ended takes what runs in it along.
# (unshare lets no weaker signal through.)
"$tree/scripts/machine" --files "$tmp/files" right -- sh -c ": >'$tmp/up'; sleep 100 & sleep 100" &
started=$!
for _ in $(seq 100); do
    [ ! -e "$tmp/up" ] || break
    sleep 0.1
done
inner=$(ps -o pid= --ppid $started)
kill -KILL $started
wait $started 2>/dev/null
for _ in $(seq 50); do
    # shellcheck disable=SC2086
    kill -0 $inner 2>/dev/null || break
    sleep 0.1
done
# shellcheck disable=SC2086
is "$(kill -0 $inner 2>/dev/null && echo alive)" '' 'ended from outside: nothing goes on'
finish
