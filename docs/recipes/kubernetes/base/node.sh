#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the DaemonSet's container does on a node: node.sh report, on or off.
#
# The node's root file system is at /host; its own programs answer there, in a chroot. An end of this script, at
# whatever line, changes nothing: containers go on starting, and only `off` puts back.
set -u
umask 022
mode=$1
host=${CUARBITER_NODE_ROOT:-/host}
files=${CUARBITER_NODE_FILES:-/opt/cuarbiter} # of this image
ready=${CUARBITER_NODE_READY:-/tmp/ready}
pause=${CUARBITER_NODE_PAUSE:-300}
folder=/opt # of the node; where that cannot be written (Bottlerocket), another, such as /var/lib
site=$host/etc/cuarbiter/site
features=$host/etc/kubernetes/node-feature-discovery/features.d
kept='# The lines below are of this node, and are kept:'
before=''
watch='' collector='' plugin='' sleeper=''
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

say() {
    printf '%s\n' "$*" | sed "s/^/cuarbiter $mode: /"
}

on_node() { # VERB ARGUMENT...: the command, as the node's own
    verb=$1
    shift
    chroot "$host" "$folder/cuarbiter/cuarbiter" "$verb" --dir "$folder/cuarbiter" "$@" 2>&1
}

# A folder for each build, which appears whole and never changes, and a link to the newest.
place() {
    build=.cuarbiter-$(cat "$files"/* | sha256sum | cut -c 1-16)
    (
        set -e
        cd "$host$folder"
        if [ ! -e "$build" ]; then
            rm -rf .cuarbiter-new
            cp -a "$files" .cuarbiter-new
            mv .cuarbiter-new "$build"
        fi
        [ "$(readlink cuarbiter)" != "$build" ] || exit 0
        [ -L cuarbiter ] || [ ! -e cuarbiter ] || mv cuarbiter .cuarbiter-before
        rm -f .cuarbiter-link
        ln -s "$build" .cuarbiter-link
        mv -T .cuarbiter-link cuarbiter
    ) || say "the files cannot be placed in $folder"
}

own_lines() { # of the switch
    [ -e "$site/cuarbiter.conf" ] || return 0
    if grep -qxF "$kept" "$site/cuarbiter.conf"; then
        sed "1,/^$kept\$/d" "$site/cuarbiter.conf"
    else
        cat "$site/cuarbiter.conf"
    fi
}

# Writes the switch; what an administrator wrote there, such as `disabled`, stays.
write_switch() { # LINE...
    mkdir -p "$site" &&
        {
            echo "# Written by the DaemonSet cuarbiter-$mode, and again when its pod starts."
            [ $# = 0 ] || printf '%s\n' "$@"
            echo "$kept"
            own_lines
        } >"$site/cuarbiter.conf.new" && mv "$site/cuarbiter.conf.new" "$site/cuarbiter.conf" ||
        say "the switch cannot be written: /etc/cuarbiter/site/cuarbiter.conf"
}

# Whether pods are reached, as lines of the log when it has changed; and as a label, where the folder of
# node-feature-discovery is there, which makes one of each line in its files.
look() {
    now=$(on_node node check) && code=0 || code=$?
    case $code in
    0) reached=true ;;
    1) reached=false ;;
    *) reached=unknown ;;
    esac
    now="$now
cuarbiter node check ended with $code: reached: $reached"
    if [ "$now" != "$before" ]; then
        say "$now"
        before=$now
    fi
    [ ! -d "$features" ] || {
        printf 'cuarbiter.mode=%s\ncuarbiter.reached=%s\n' "$mode" "$reached" >"$features/.cuarbiter" &&
            mv "$features/.cuarbiter" "$features/cuarbiter"
    }
}

# Does what needs no restart of an engine; for the rest `node check` prints the command.
switch_on() {
    case $(on_node node check) in
    *'    cuarbiter node on'*) say "$(on_node node on)" ;;
    esac
    say "$(on_node cdi --merge)"
}

# The plugin for NRI, where containerd has that on and nobody else starts one; anew whenever containerd closes its connection.
keep_plugin() {
    child=''
    trap 'kill $child 2>/dev/null; exit 0' TERM
    while :; do
        chroot "$host" "$folder/cuarbiter/cuarbiter" node --dir "$folder/cuarbiter" nri 2>&1 &
        child=$!
        wait "$child"
        sleep 2 &
        child=$!
        wait "$child"
    done
}

# What still names the files, or has them mounted.
users() {
    for file in "$host"/etc/cdi/* "$host"/run/cdi/* "$host"/var/run/cdi/* \
        "$host"/etc/containers/oci/hooks.d/* "$host"/usr/share/containers/oci/hooks.d/*; do
        ! grep -qsF "$folder/cuarbiter/cuarbiter" "$file" || echo "${file#"$host"}"
    done
    # A base runtime specification counts as long as a configuration names it.
    grep -rlsF "$folder/cuarbiter/cuarbiter" "$host/etc/containerd" "$host/etc/crio" | while read -r file; do
        ! grep -rqsF "${file#"$host"}" "$host/etc/containerd" "$host/etc/crio" || echo "${file#"$host"}"
    done
    grep -lsF '/.cuarbiter-' "$host"/proc/[0-9]*/mountinfo | sed "s,$host/proc/\([0-9]*\)/.*,process \1,"
}

is_clean() {
    [ ! -L "$host$folder/cuarbiter" ] && [ -z "$(users)" ] &&
        ! ls -d "$host$folder"/.cuarbiter-* >/dev/null 2>&1
}

# Specifications first; the files last, and only when nothing names them any more.
switch_off() {
    if is_clean; then
        [ -z "$before" ] && say "nothing of cuarbiter is left on this node"
        before=clean
        return
    fi
    write_switch disabled
    [ -z "$(users)" ] || [ -x "$host$folder/cuarbiter/cuarbiter" ] || place
    say "$(chroot "$host" "$folder/cuarbiter/cuarbiter" cdi --remove 2>&1)"
    say "$(on_node node off)"
    rm -f "$features/cuarbiter"
    left=$(users | tr '\n' ' ')
    if [ -n "$left" ]; then
        say "the files stay as long as these have them: $left"
        return
    fi
    rm -f "$host$folder/cuarbiter"
    [ ! -e "$host$folder/.cuarbiter-before" ] || mv -T "$host$folder/.cuarbiter-before" "$host$folder/cuarbiter"
    rm -rf "$host$folder"/.cuarbiter-* "$host/run/cuarbiter"
    if [ -z "$(own_lines)" ]; then
        rm -f "$site/cuarbiter.conf"
        rmdir "$site" "$host/etc/cuarbiter" 2>/dev/null
    fi
    [ ! -e "$host/var/log/cuarbiter" ] || say "its log stays: /var/log/cuarbiter"
    say "nothing of cuarbiter is left on this node"
    before=clean
}

runs() { # PID
    [ -n "$1" ] && kill -0 "$1" 2>/dev/null
}

stop() {
    for child in $watch $collector $plugin $sleeper; do
        kill "$child" 2>/dev/null
    done
    exit 0
}

# Until the next look; a signal ends it at once.
rest() { # SECONDS
    sleep "$1" &
    sleeper=$!
    wait "$sleeper"
    sleeper=''
}

trap stop TERM INT
rm -f "$ready"
case $mode in
report)
    place
    write_switch CUARBITER_POLICY=report CUARBITER_LOG_FORMAT=json
    switch_on
    ;;
on)
    place
    write_switch
    switch_on
    ;;
off)
    while :; do
        switch_off
        : >"$ready"
        # The pod of another mode may still end here, and merge once more.
        rest 10
    done
    ;;
*)
    say 'report, on or off'
    exit 2
    ;;
esac
while :; do
    # Not by on_node, which would be a shell between this one and the command.
    runs "$watch" || {
        chroot "$host" "$folder/cuarbiter/cuarbiter" cdi --dir "$folder/cuarbiter" --merge --watch 2>&1 &
        watch=$!
    }
    # What the processes of the node's containers got, for `cuarbiter summary /var/log/cuarbiter`.
    runs "$collector" || {
        chroot "$host" "$folder/cuarbiter/cuarbiter" node collect 2>&1 &
        collector=$!
    }
    look
    case $now in
    *'    systemctl enable --now cuarbiter-nri.service'*)
        runs "$plugin" || {
            keep_plugin &
            plugin=$!
            sleep 1
            look
        }
        ;;
    esac
    : >"$ready"
    rest "$pause"
done
