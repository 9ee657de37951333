#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A container that the hook is to serve starts as without it, whatever is wrong with cuarbiter's files:
# each of them missing, empty, cut, foreign, a pipe; by a runtime's own specification, by hooks.d and by
# CDI. What is replaced later in place does not reach a program.
# shellcheck disable=SC1091,SC2016,SC2086,SC2154
export CUARBITER_MKNOD=kept # layers are made with it, and containers have a /dev of their own
. "$(dirname "$0")/../fixtures/images.sh"
. "$(dirname "$0")/bundles.sh"
need_runtimes
need_files
need_root bullseye
strip --strip-unneeded "$files/cuarbiter" "$files"/*.so
root=$tmp/root
copy_root bullseye "$root"
node=$tmp/node # the folder that the hook is started from
mkdir "$node"
script='echo started; grep -c r-xp.*libcuarbiter.so /proc/self/maps'

# Every way of damage, as a function of the file; each leaves the other files as they are.
damages='missing empty cut-1 cut-2 cut-3 cut-4 cut-5 cut-6 cut-7 cut-end header foreign script pipe folder link unreadable noise'
damage() { # HOW FILE
    whole=$files/$2 size=$(stat -c %s "$files/$2")
    rm -rf "${node:?}/$2"
    case $1 in
    missing) ;;
    empty) : >"$node/$2" ;;
    # At page borders, from the first to the last but one.
    cut-[1-7]) head -c $((size * ${1#cut-} / 8 / 4096 * 4096)) "$whole" >"$node/$2" ;;
    cut-end) head -c $((size - 1)) "$whole" >"$node/$2" ;;
    header) head -c 64 "$whole" >"$node/$2" ;;
    foreign) cp "$whole" "$node/$2" && printf '\363\000' | dd of="$node/$2" bs=1 seek=18 conv=notrunc 2>/dev/null ;;
    script) printf '#!/bin/sh\nexit 7\n' >"$node/$2" ;;
    pipe) mkfifo "$node/$2" ;;
    folder) mkdir "$node/$2" ;;
    link) ln -s /nowhere "$node/$2" ;;
    unreadable) cp "$whole" "$node/$2" && chmod 0 "$node/$2" ;;
    noise) head -c "$size" /dev/urandom >"$node/$2" ;;
    esac
    [ "$1" = unreadable ] || [ ! -f "$node/$2" ] || chmod 755 "$node/$2"
}
whole_node() {
    rm -rf "${node:?}"/*
    cp "$files/cuarbiter" "$files"/*.so "$node/"
}
whole_node
hook=$(hook "$node")
bundle bare "$gpu" "$(says "$script")"
bundle b "$gpu" "$hook" "$(says "$script")"

# WAY: how many containers started, of how many; in `worst` the longest, in milliseconds.
row() { # WAY COMMAND...
    way=$1 begun=0 all=0 served=0 worst=0
    shift
    for file in cuarbiter libcuarbiter.so libcuarbiter-engine.so; do
        for how in $damages; do
            whole_node
            damage "$how" "$file"
            begin=$(date +%s%N)
            said=$("$@" 2>"$tmp/err")
            took=$((($(date +%s%N) - begin) / 1000000))
            [ $took -le $worst ] || worst=$took
            all=$((all + 1))
            case $said in
            started*) begun=$((begun + 1)) ;;
            *) echo "# $way, $file $how: $said $(head -n 3 "$tmp/err")" ;;
            esac
            case $said in *1*) served=$((served + 1)) ;; esac
            [ ! -s "$tmp/err" ] || grep -q CNI "$tmp/err" || sed "s/^/# $way, $file $how: /" "$tmp/err"
        done
    done
    that "$way: containers that start beside damaged files" "$begun of $all" "$all of $all"
    # Libraries that only root may read are right: containers get a copy.
    that "$way: those that got the library" "$served" 2
    echo "# $way: the longest took $worst ms"
}
for r in $runtimes; do
    that "$r: bare" "$(start $r bare)" 'started
0'
    whole_node
    that "$r: whole files" "$(start $r b)" 'started
1'
    row "$r, config.json" start $r b
done

# The loader's complaint on standard error is what a damaged preload makes; there is none above. Now
# what is replaced later, in place, under a program that runs.
whole_node
bundle later "$hook" "$gpu" "$(says 'touch /tmp/ready; while [ ! -e /tmp/go ]; do sleep 0.1; done
    /bin/true && ls /opt/cuarbiter >/dev/null && cat /opt/cuarbiter/*.so | cksum')"
start "${runtimes##* }" later >"$tmp/out" 2>&1 &
child=$!
while [ ! -e "$root/tmp/ready" ]; do sleep 0.1; done
for file in "$node"/*; do dd if=/dev/zero of="$file" bs=4096 count=4 conv=notrunc 2>/dev/null; done
: >"$root/tmp/go"
wait $child
that 'files overwritten in place under a container' "$? $(cat "$tmp/out")" "0 $(cat "$files"/libcuarbiter-engine.so "$files"/libcuarbiter.so | cksum)"

# A hook that hangs: a second, not for ever.
whole_node
printf '#!/bin/sh\nsleep 30\n' >"$node/cuarbiter"
for r in $runtimes; do
    begin=$(date +%s%N)
    that "$r: a hook that hangs" "$(start $r b)" 'started
0'
    took=$((($(date +%s%N) - begin) / 1000000))
    [ $took -lt 2500 ] && ok "$r: a hook that hangs: ended in time" || not_ok "$r: a hook that hangs: ended in time" "$took ms"
done

# Sixty at once, on one root.
whole_node
rm -rf "$root/opt/cuarbiter" "$root/etc/ld.so.preload"
for n in $(seq 60); do
    start "${runtimes##* }" b >"$tmp/out.$n" 2>&1 &
done
wait
that 'sixty starts at once' "$(cat "$tmp"/out.* | sort | uniq -c | tr -s ' ' | tr '\n' ';')" ' 60 1; 60 started;'

need_podman
whole_node
image localhost/plain "$root" 'ENV PATH=/usr/bin:/bin'
mkdir "$tmp/hooks.d"
"$node/cuarbiter" node print >"$tmp/hooks.d/cuarbiter.json"
damages='missing empty cut-4 header foreign unreadable'
podman_hooks() { pod --hooks-dir "$tmp/hooks.d" run --rm -e NVIDIA_VISIBLE_DEVICES=all localhost/plain sh -c "$script"; }
row 'podman, hooks.d' podman_hooks
cdi=/etc/cdi/cuarbiter-test-$$.json
made_cdi=
[ -d /etc/cdi ] || made_cdi=yes
mkdir -p /etc/cdi
trap 'code=$?; rm -f "$cdi"; [ -z "$made_cdi" ] || rmdir /etc/cdi 2>/dev/null; (exit $code); cua_cleanup' EXIT
whole_node
"$node/cuarbiter" cdi --name "test$$" >"$cdi"
podman_cdi() { pod run --rm --device "cuarbiter/shim=test$$" localhost/plain sh -c "$script"; }
row 'podman, CDI' podman_cdi
finish
