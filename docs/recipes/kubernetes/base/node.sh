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
pause=${CUARBITER_NODE_PAUSE:-60}
folder=/opt # of the node; where that cannot be written (Bottlerocket), another, such as /var/lib
site=$host/etc/cuarbiter/site
features=$host/etc/kubernetes/node-feature-discovery/features.d
kept='# The lines below are of this node, and are kept:'
before='' unplaced=''
keepers='' sleeper=''
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

say() {
    printf '%s\n' "$*" | sed "s/^/cuarbiter $mode: /"
}

on_node() { # VERB ARGUMENT...: the command, as the node's own
    verb=$1
    shift
    chroot "$host" "$folder/cuarbiter/cuarbiter" "$verb" --dir "$folder/cuarbiter" "$@" 2>&1
}

answers() {
    chroot "$host" "$folder/cuarbiter/cuarbiter" --version >/dev/null 2>&1
}

sum_of() { # FOLDER
    cat "$1"/* 2>/dev/null | sha256sum | cut -c 1-16
}

is_ours() { # LINK
    case $(readlink "$1") in .cuarbiter-*) ;; *) return 1 ;; esac
}

# Version and build of the node's files; nothing where they are not there.
placed() {
    ! answers || echo "$(chroot "$host" "$folder/cuarbiter/cuarbiter" --version | head -n 1), build $(readlink "$host$folder/cuarbiter" | sed 's/^[.]cuarbiter-//')"
}

# The copy is made in a folder, whose age shows whether somebody still writes it: the files' own is that of the image.
copy_build() {
    rm -rf "$new" && mkdir "$new" && cp -a "$files" "$new/files" || return
    mv -T "$new/files" "$build" 2>/dev/null && return
    # Another pod was faster; or a power cut has taken what was written into it.
    [ "$(sum_of "$build")" = "$sum" ] || { rm -rf "$build" && mv -T "$new/files" "$build"; }
}

# A folder for each build, which appears whole and never changes, and a link to the newest. Another pod may do the same.
place_build() {
    cd "$host$folder" || return
    new=.cuarbiter-new.$$
    find . -maxdepth 1 -name '.cuarbiter-new*' -mmin +1 -exec rm -rf {} +
    [ "$(sum_of "$build")" = "$sum" ] || copy_build
    rm -rf "$new"
    [ "$(sum_of "$build")" = "$sum" ] || return
    [ "$(readlink cuarbiter)" != "$build" ] || return 0
    { [ ! -e cuarbiter ] && [ ! -L cuarbiter ]; } || is_ours cuarbiter || mv -T cuarbiter .cuarbiter-before || return
    rm -f ".cuarbiter-link.$$" && ln -s "$build" ".cuarbiter-link.$$" && mv -T ".cuarbiter-link.$$" cuarbiter
}

is_placed() {
    [ "$(sum_of "$host$folder/cuarbiter")" = "$sum" ]
}

place() {
    if [ ! -x "$files/cuarbiter" ] || [ ! -e "$files/libcuarbiter.so" ]; then
        say "this image has no cuarbiter in $files: nothing was changed"
        return 1
    fi
    sum=$(sum_of "$files") build=.cuarbiter-$sum was=$(placed)
    if (place_build); then
        unplaced=''
        [ -n "$was" ] && [ "$was" = "$(placed)" ] && say "in place: $was" || say "placed: $(placed); before: ${was:-none}"
    elif [ -z "$unplaced" ]; then
        say "the files cannot be placed in $folder"
        unplaced=yes
    fi
}

own_lines() { # of the switch
    [ -e "$site/cuarbiter.conf" ] || return 0
    if grep -qxF "$kept" "$site/cuarbiter.conf"; then
        sed "1,/^$kept\$/d" "$site/cuarbiter.conf"
    else
        cat "$site/cuarbiter.conf"
    fi
}

# Writes the switch; what an administrator wrote there, such as `disabled`, stays. Another pod may do the same.
write_switch() { # LINE...
    mkdir -p "$site" &&
        {
            echo "# Written by the DaemonSet cuarbiter-$mode, and again when its pod starts." &&
                { [ $# = 0 ] || printf '%s\n' "$@"; } &&
                echo "$kept" &&
                own_lines
        } >"$site/cuarbiter.conf.new.$$" && mv "$site/cuarbiter.conf.new.$$" "$site/cuarbiter.conf" && return
    rm -f "$site/cuarbiter.conf.new.$$"
    say "the switch cannot be written, and stays as it is: /etc/cuarbiter/site/cuarbiter.conf"
    return 1
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
        policy=$(echo "$now" | sed -n "s/^the node's policy is: //p")
        printf 'cuarbiter.mode=%s\ncuarbiter.reached=%s\ncuarbiter.policy=%s\n' "$mode" "$reached" "${policy:-unknown}" \
            >"$features/.cuarbiter" &&
            mv "$features/.cuarbiter" "$features/cuarbiter"
    }
}

# Does what needs no restart of an engine; for the rest `node check` prints the command.
switch_on() {
    case $(on_node node check) in
    *'    cuarbiter node on'*) say "$(on_node node on)" ;;
    esac
    say "$(on_node cdi --merge)"
    keep answers cdi --merge --watch &
    keepers=$!
    # What the processes of the node's containers got, for `cuarbiter summary /var/log/cuarbiter`.
    keep answers node collect &
    keepers="$keepers $!"
    # For the pods that CDI does not reach.
    keep has_nri node nri &
    keepers="$keepers $!"
    # Before the first look.
    ! has_nri || sleep 2
}

# Whether containerd has NRI on, and nobody else starts the plugin.
has_nri() {
    [ -S "$host/run/nri/nri.sock" ] && ! [ -L "$host/opt/nri/plugins/10-cuarbiter" ] &&
        ! [ -L "$host/etc/systemd/system/multi-user.target.wants/cuarbiter-nri.service" ] && answers
}

# Keeps a verb of the command running. Where it ends, killed for want of memory, say, or because containerd has ended, it is
# started again; later where it does not last.
keep() { # CONDITION VERB ARGUMENT...
    condition=$1 verb=$2 again=1 child=''
    shift 2
    trap 'kill "$child" 2>/dev/null; exit' TERM
    while :; do
        if "$condition"; then
            # Not by on_node, which would be a shell between this one and the command.
            chroot "$host" "$folder/cuarbiter/cuarbiter" "$verb" --dir "$folder/cuarbiter" "$@" 2>&1 &
            child=$! begun=$(date +%s)
            wait "$child"
            [ $(($(date +%s) - begun)) -lt 5 ] && again=$((again < 8 ? 2 * again : 8)) || again=1
        fi
        sleep "$again" &
        child=$!
        wait "$child"
    done
}

names_files() { # FILE
    grep -qsF -e "$folder/cuarbiter/cuarbiter" -e "$folder/.cuarbiter-" "$1"
}

# What still names the files, or has them mounted; and what killed merges left, which `cdi --remove` takes away
# ten seconds later.
users() {
    for file in "$host"/etc/cdi/*.cuarbiter-new.* "$host"/run/cdi/*.cuarbiter-new.*; do
        [ ! -e "$file" ] || echo "${file#"$host"}"
    done
    for file in "$host"/etc/cdi/* "$host"/run/cdi/* "$host"/var/run/cdi/* \
        "$host"/etc/containers/oci/hooks.d/* "$host"/usr/share/containers/oci/hooks.d/*; do
        ! names_files "$file" || echo "${file#"$host"}"
    done
    # containerd 1.7 does not start where such a link leads nowhere.
    for file in "$host"/opt/nri/plugins/*; do
        case $(readlink "$file") in "$folder"/cuarbiter/* | "$folder"/.cuarbiter-*) echo "${file#"$host"}" ;; esac
    done
    for file in "$host"/etc/systemd/system/*.wants/cuarbiter*; do
        ! names_files "$host/etc/systemd/system/${file##*/}" || echo "${file#"$host"}"
    done
    # A base runtime specification counts as long as a configuration names it.
    set -- "$host/etc/containerd" "$host/etc/crio" "$host"/var/lib/rancher/*/agent/etc/containerd
    grep -rlsF -e "$folder/cuarbiter/cuarbiter" -e "$folder/.cuarbiter-" "$@" | while read -r file; do
        ! grep -rqsF "${file#"$host"}" "$@" || echo "${file#"$host"}"
    done
    grep -lsF '/.cuarbiter-' "$host"/proc/[0-9]*/mountinfo | sed "s,$host/proc/\([0-9]*\)/.*,process \1,"
}

# Where an administrator has written lines into the switch, it stays, with `disabled`.
is_clean() {
    ! is_ours "$host$folder/cuarbiter" && [ -z "$(users)" ] &&
        [ -z "$(ls -d "$host$folder"/.cuarbiter-* "$features/cuarbiter" "$site"/cuarbiter.conf.new* 2>/dev/null)" ] &&
        { [ ! -d "$site" ] || [ -n "$(own_lines)" ]; }
}

say_clean() {
    but=''
    [ ! -e "$host/var/log/cuarbiter" ] || but='/var/log/cuarbiter'
    [ ! -e "$site/cuarbiter.conf" ] ||
        but="${but:+$but and }/etc/cuarbiter/site/cuarbiter.conf, with lines of yours and disabled"
    say "nothing of cuarbiter is left on this node${but:+ but $but}"
}

# Specifications first; the files last, and only when nothing names them any more.
switch_off() {
    if is_clean; then
        [ -n "$before" ] || say_clean
        before=clean
        return
    fi
    write_switch disabled
    [ -z "$(users)" ] || answers || place
    if answers; then
        say "$(chroot "$host" "$folder/cuarbiter/cuarbiter" cdi --remove 2>&1)"
        say "$(on_node node off)"
    fi
    rm -f "$features/cuarbiter"
    left=$(users | tr '\n' ' ')
    if [ -n "$left" ]; then
        say "the files stay as long as these have them: $left"
        return
    fi
    ! is_ours "$host$folder/cuarbiter" || rm -f "$host$folder/cuarbiter"
    left=$host$folder/.cuarbiter-before
    if [ -e "$left" ] || [ -L "$left" ]; then
        mv -T "$left" "$host$folder/cuarbiter" || return
    fi
    find "$host$folder" -maxdepth 1 -name '.cuarbiter-*' ! -name .cuarbiter-before -exec rm -rf {} +
    rm -rf "$host/run/cuarbiter"
    # Empty ones, of a `node check` that was killed.
    rmdir "$host"/tmp/cuarbiter-node-* 2>/dev/null
    rm -f "$site"/cuarbiter.conf.new*
    if [ -z "$(own_lines)" ]; then
        rm -f "$site/cuarbiter.conf"
        rmdir "$site" "$host/etc/cuarbiter" 2>/dev/null
    fi
    say_clean
    before=clean
}

stop() {
    for child in $keepers $sleeper; do
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
    place || exit
    # Without it cuarbiter would act, and not report. The collector gets the reports, and no program's standard error.
    ! write_switch CUARBITER_POLICY=report CUARBITER_LOG=error CUARBITER_LOG_FORMAT=json || switch_on
    ;;
on)
    place || exit
    write_switch
    own_lines | grep -E '^[[:space:]]*(disabled|CUARBITER_POLICY=)' | while read -r line; do
        say "kept, a line of yours in /etc/cuarbiter/site/cuarbiter.conf: $line"
    done
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
    look
    : >"$ready"
    # Somebody may delete the files.
    for _ in 1 2 3 4 5 6; do
        rest $(((pause + 5) / 6))
        is_placed || place
    done
done
