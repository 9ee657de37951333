#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A container that the hook is to serve starts as without it, whatever is wrong with cuarbiter's files:
# each of them missing, empty, cut at every page, foreign, a pipe, replaced while containers start; by a
# runtime's own specification, by hooks.d and by CDI. What is replaced later in place does not reach a
# program. A table of the containers that started is among the comments.
# With CUARBITER_EVERY_PAGE=1 files are cut at every page for podman too, which takes ten minutes.
# shellcheck disable=SC1091,SC2016,SC2086,SC2154
export CUARBITER_MKNOD=kept # layers are made with it, and containers have a /dev of their own
. "$(dirname "$0")/../fixtures/images.sh"
. "$(dirname "$0")/bundles.sh"
need_runtimes
need_files
need_root bullseye
strip --strip-unneeded "$files/cuarbiter" "$files/cuarbiter-answer" "$files/libcuarbiter.so"
root=$tmp/root
copy_root bullseye "$root"
node=$tmp/node # the folder that the hook is started from
mkdir "$node"
script='echo started; grep -c r-xp.*libcuarbiter.so /proc/self/maps; true'
both='cuarbiter libcuarbiter.so cuarbiter-answer'

# Every way of damage, as a function of the file; each leaves the other files as they are.
kinds='missing empty header foreign script pipe folder link noise zeros'
pages() { # FILE: where it is cut
    of=$((($(stat -c %s "$files/$1") - 1) / 4096))
    if [ "$every" = 1 ]; then seq $of; else echo 1 $((of / 2)) $of; fi | tr '\n' ' '
}
damage() { # HOW FILE
    whole=$files/$2
    rm -rf "${node:?}/$2"
    case $1 in
    missing) ;;
    empty) : >"$node/$2" ;;
    [0-9]*z) cp "$whole" "$node/$2" && dd if=/dev/zero of="$node/$2" bs=4096 seek="${1%z}" count=1 conv=notrunc 2>/dev/null ;;
    [0-9]*) head -c $(($1 * 4096)) "$whole" >"$node/$2" ;;
    header) head -c 64 "$whole" >"$node/$2" ;;
    foreign) cp "$whole" "$node/$2" && printf '\363\000' | dd of="$node/$2" bs=1 seek=18 conv=notrunc 2>/dev/null ;;
    script) printf '#!/bin/sh\necho no\necho no >&2\nexit 7\n' >"$node/$2" ;;
    pipe) mkfifo "$node/$2" ;;
    folder) mkdir "$node/$2" ;;
    link) ln -s /nowhere "$node/$2" ;;
    # A library of another maker or for another libc: as a preload it ends every program.
    needs) sed 's/libc\.so\.6/libx.so.6/' "$whole" >"$node/$2" ;;
    newer) sed 's/GLIBC_2\.2\.5/GLIBC_2.999/; s/GLIBC_2\.17/GLIBC_2.99/' "$whole" >"$node/$2" ;;
    name) sed 's/libcuarbiter\.so/libcuarbiter.xo/' "$whole" >"$node/$2" ;;
    noise) head -c "$(stat -c %s "$whole")" /dev/urandom >"$node/$2" ;;
    # As a crash leaves it: a page that was never written.
    zeros) cp "$whole" "$node/$2" && dd if=/dev/zero of="$node/$2" bs=4096 seek=3 count=1 conv=notrunc 2>/dev/null ;;
    esac
    [ ! -f "$node/$2" ] || chmod 755 "$node/$2"
}
whole_node() {
    rm -rf "${node:?}"/*
    cp "$files/cuarbiter" "$files/cuarbiter-answer" "$files/libcuarbiter.so" "$node/"
}
# What a container says, on both outputs, and how it ends.
outcome() { { "$@" 2>&1 && echo "0"; } | grep -v 'level=warning.*CNI config' | tr '\n' ' '; }
bare='started 0 0 ' served='started 1 0 '

row() { # WAY COMMAND...: with every damage
    way=$1 worst=0 total=0 begun=0
    shift
    whole_node
    that "$way: whole files" "$(outcome "$@")" "$served"
    for file in $both; do
        good=0 all=0
        only=
        [ $file != libcuarbiter.so ] || only="needs newer name $(pages $file | sed 's/\([0-9]\)\b/\1z/g')"
        for how in $kinds $only $(pages $file); do
            whole_node
            damage "$how" "$file"
            begin=$(date +%s%N)
            said=$(outcome "$@")
            took=$((($(date +%s%N) - begin) / 1000000))
            [ $took -le $worst ] || worst=$took
            all=$((all + 1))
            # Without its section headers it still works.
            case $how in *z) [ "$said" != "$served" ] || said=$bare ;; esac
            if [ "$said" = "$bare" ]; then good=$((good + 1)); else echo "# $way, $file $how: $said"; fi
        done
        echo "# | $way | $file | $good of $all |"
        total=$((total + all)) begun=$((begun + good))
    done
    that "$way: containers that start as bare beside damaged files" "$begun of $total" "$total of $total"
    whole_node
    chmod 0 "$node"/libcuarbiter.so "$node/cuarbiter-answer"
    that "$way: files that only root can read" "$(outcome "$@")" "$served"
    echo "# $way: the longest took $worst ms"
}

# Replaced meanwhile, by rename as packages do it and in place as cp does it.
meanwhile() { # WAY COMMAND...
    way=$1 good=0
    shift
    whole_node
    cp -r "$node" "$tmp/other"
    cat >"$tmp/replace.py" <<'PY'
import os, random, shutil, sys, time
node, other, parent = sys.argv[1], sys.argv[2], os.getppid()
end = time.time() + 60
while os.getppid() == parent and time.time() < end:
    name = random.choice(os.listdir(other))
    whole, there = f"{other}/{name}", f"{node}/{name}"
    how = random.randrange(3)
    try:
        if how == 0:
            shutil.copy(whole, there + ".new")
            os.rename(there + ".new", there)
        elif how == 1:
            shutil.copy(whole, there)
        else:
            os.unlink(there)
            time.sleep(0.01)
            shutil.copy(whole, there)
    except OSError: # the hook runs from it
        pass
PY
    python3 "$tmp/replace.py" "$node" "$tmp/other" &
    child=$!
    for n in $(seq 20); do
        said=$(outcome "$@")
        case $said in "$bare" | "$served") good=$((good + 1)) ;; *) echo "# $way: $said" ;; esac
    done
    kill $child
    wait $child 2>/dev/null
    rm -rf "$tmp/other"
    echo "# | $way | replaced meanwhile | $good of 20 |"
    that "$way: files that are replaced meanwhile: started" $good 20
}

whole_node
hook=$(hook "$node")
bundle bare "$gpu" "$(says "$script")"
bundle b "$gpu" "$hook" "$(says "$script")"
every=1
for r in $runtimes; do
    that "$r: bare" "$(outcome start $r bare)" "$bare"
    row "$r, config.json" start $r b
    meanwhile "$r, config.json" start $r b
done

# What is replaced later, in place, under a program that runs.
whole_node
bundle later "$hook" "$gpu" "$(says 'touch /tmp/ready; while [ ! -e /tmp/go ]; do sleep 0.1; done
    /bin/true && ls /opt/cuarbiter >/dev/null && cat /opt/cuarbiter/cuarbiter-answer /opt/cuarbiter/libcuarbiter.so | cksum')"
start "${runtimes##* }" later >"$tmp/out" 2>&1 &
child=$!
while [ ! -e "$root/tmp/ready" ]; do sleep 0.1; done
for file in "$node"/*; do dd if=/dev/zero of="$file" bs=4096 count=4 conv=notrunc 2>/dev/null; done
: >"$root/tmp/go"
wait $child
that 'files overwritten in place under a container' "$? $(cat "$tmp/out")" "0 $(cat "$files"/cuarbiter-answer "$files"/libcuarbiter.so | cksum)"

# No process may be made: the shell ends without one. runc has a thread more at one start than at another, and
# with one too many it makes no process for a hook.
for r in $runtimes; do
    whole_node
    bundle few "$gpu" "$hook" '.linux.resources.pids = {limit: 6}' '.process.args = ["/bin/sh", "-c", "echo started"]'
    bundle fewer "$gpu" '.linux.resources.pids = {limit: 6}' '.process.args = ["/bin/sh", "-c", "echo started"]'
    wanted=$(outcome start $r fewer)
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        got=$(outcome start $r few)
        [ "$got" != "$wanted" ] || break
    done
    that "$r: a limit of six processes" "$got" "$wanted"
done

# A hook that hangs: a second, not for ever. One that reads nothing: crun writes to a pipe.
for r in $runtimes; do
    whole_node
    printf '#!/bin/sh\nsleep 30\n' >"$node/cuarbiter"
    begin=$(date +%s%N)
    that "$r: a hook that hangs" "$(outcome start $r b)" "$bare"
    took=$((($(date +%s%N) - begin) / 1000000))
    [ $took -lt 2500 ] && ok "$r: a hook that hangs: ended in time" || not_ok "$r: a hook that hangs: ended in time" "$took ms"
    rm "$node/cuarbiter"
    that "$r: nobody reads the state, fifty times" "$(for n in $(seq 50); do outcome start $r b; echo; done | sort | uniq -c | tr -s ' ')" " 50 $bare"
done

# The cost, bare and with the hook in turn.
whole_node
middle() { sort -n "$1" | sed -n 15p; }
for r in $runtimes; do
    for n in $(seq 30); do
        for each in bare b; do
            begin=$(date +%s%N)
            start $r $each >/dev/null 2>&1
            echo $((($(date +%s%N) - begin) / 1000000)) >>"$tmp/$r.$each"
        done
    done
    echo "# $r, medians of 30 starts in turn: $(middle "$tmp/$r.bare") ms bare, $(middle "$tmp/$r.b") ms with the hook"
    more=$(($(middle "$tmp/$r.b") - $(middle "$tmp/$r.bare")))
    [ $more -le 20 ] && ok "$r: at most 20 ms more than bare" || not_ok "$r: at most 20 ms more than bare" "$more ms"
done

# Sixty at once, on one root.
rm -rf "$root/opt/cuarbiter" "$root/etc/ld.so.preload"
for n in $(seq 60); do
    start "${runtimes##* }" b >"$tmp/out.$n" 2>&1 &
done
wait
that 'sixty starts at once' "$(cat "$tmp"/out.[0-9]* | grep -vx '[01]' | sort | uniq -c | tr -s ' ')" ' 60 started'
# A hook that had no second to itself has left its container bare.
got=$(cat "$tmp"/out.[0-9]* | grep -cx 1)
echo "# sixty starts at once: $got with the library"
[ "$got" -gt 0 ] && ok 'sixty starts at once: with the library' || not_ok 'sixty starts at once: with the library' "$got"

need_podman
whole_node
image localhost/plain "$root" 'ENV PATH=/usr/bin:/bin'
mkdir "$tmp/hooks.d"
"$node/cuarbiter" node print >"$tmp/hooks.d/cuarbiter.json"
put_cdi "$node/cuarbiter"
# What the container says goes to a file: podman loses what a short one prints before it is attached.
mkdir "$tmp/said"
said_by() { # ARGUMENT...
    : >"$tmp/said/out"
    engine $r "$@" -v "$tmp/said:/said" localhost/plain sh -c "{ $script; } >/said/out 2>&1"
    code=$?
    cat "$tmp/said/out"
    return $code
}
podman_hooks() { said_by --hooks-dir "$tmp/hooks.d" run --rm --annotation cdi.k8s.io/x=nvidia.com/gpu=0; }
podman_cdi() { said_by run --rm --device "cuarbiter/shim=test$$"; }
every=${CUARBITER_EVERY_PAGE:-}
for r in $runtimes; do
    row "podman with $r, hooks.d" podman_hooks
    row "podman with $r, CDI" podman_cdi
    meanwhile "podman with $r, CDI" podman_cdi
done
finish
