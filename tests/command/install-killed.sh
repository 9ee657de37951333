#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install and uninstall that are killed at any point, twice at once, on a full disk: the loader's
# preload file never names what is not there, and the next run finds its way.
# shellcheck disable=SC1091,SC2154
. "$(dirname "$0")/../fixtures/images.sh"
need_files
need_root bullseye
[ "$(uname -m)" = x86_64 ] || cannot 'kill-at reads the registers of x86_64'
root=$tmp/root
copy_root bullseye "$root"
cp -r "$files" "$tmp/next"
printf x >>"$tmp/next/cuarbiter-answer" # another build of the same version

# Every word of the preload file that is not there.
missing_entries() {
    [ ! -e "$root/etc/ld.so.preload" ] || tr ' :,' '\n\n\n' <"$root/etc/ld.so.preload" | while read -r word; do
        [ -z "$word" ] || [ -e "$root$word" ] || echo "$word"
    done
}
whole() { # FILES-FOLDER: is what the entry names that very build?
    folder=$root$(dirname "$(cat "$root/etc/ld.so.preload" 2>/dev/null)")
    for file in libcuarbiter.so cuarbiter-answer cuarbiter; do
        cmp -s "$1/$file" "$folder/$file" || echo "$file"
    done
}
clear_root() {
    rm -rf "$root/opt/cuarbiter" "$root"/etc/ld.so.preload*
}

# VERB FILES-FOLDER BEFORE...: kills it at every point, each time from the same state.
kill_everywhere() {
    verb=$1 from=$2
    shift 2
    points=0 bad=
    while :; do
        points=$((points + 1))
        clear_root
        for step in "$@"; do
            $step >/dev/null || bad="$bad before:$step"
        done
        "$built/kill-at" $points "$from/cuarbiter" "$verb" --root "$root" >"$tmp/log" 2>&1 || break
        [ -z "$(missing_entries)" ] || bad="$bad $points:$(missing_entries)"
        # A program starts, and says nothing.
        said=$(chroot "$root" /bin/true 2>&1) || bad="$bad $points:fails"
        [ -z "$said" ] || bad="$bad $points:$said"
        if [ "$verb" = install ]; then
            "$from/cuarbiter" install --root "$root" >/dev/null || bad="$bad $points:again"
            [ -z "$(whole "$from")" ] || bad="$bad $points:not whole"
        else
            "$from/cuarbiter" uninstall --root "$root" >/dev/null || bad="$bad $points:again"
            [ ! -e "$root/etc/ld.so.preload" ] || bad="$bad $points:entry"
        fi
    done
    that "$verb${*:+ over another}: killed at each of $((points - 1)) points" "$bad" ''
    is "$((points > 10))" 1 'which are some'
}
install_first() { "$files/cuarbiter" install --root "$root"; }
kill_everywhere install "$files"
kill_everywhere install "$tmp/next" install_first
kill_everywhere uninstall "$files" install_first

# At once.
bad=
for round in $(seq 20); do
    clear_root
    "$files/cuarbiter" install --root "$root" >"$tmp/log1" 2>&1 &
    "$tmp/next/cuarbiter" install --root "$root" >"$tmp/log2" 2>&1 &
    "$files/cuarbiter" uninstall --root "$root" >"$tmp/log3" 2>&1 &
    "$files/cuarbiter" install --root "$root" >"$tmp/log4" 2>&1 || bad="$bad $round:$(cat "$tmp/log4")"
    wait
    [ -z "$(missing_entries)" ] || bad="$bad $round:$(missing_entries)"
    [ ! -e "$root/opt/cuarbiter/.new" ] || bad="$bad $round:.new"
done
that 'four at once, twenty times' "$bad" ''

# On a disk that is full at one point or another.
clear_root
# shellcheck disable=SC2016
mkdir "$tmp/small"
full=$(unshare -m sh -c '
    root=$1 files=$2 tmp=$3
    mkdir -p "$root/opt"
    size=$((2 * $(du -sk "$files" | cut -f 1) + 2000))
    mount -t tmpfs -o size=${size}k none "$root/opt" || exit 77
    cp -a "$root/etc" "$tmp/etc"
    mount -t tmpfs -o size=4m none "$tmp/small" && cp -a "$tmp/etc/." "$tmp/small/" &&
        mount --bind "$tmp/small" "$root/etc" || exit 77
    for kilobytes in 0 4 64 200 600 1500; do
        rm -rf "$root/opt/"* "$root/etc/ld.so.preload"
        free=$(df -k --output=avail "$root/opt" | tail -n 1)
        dd if=/dev/zero of="$root/opt/fill" bs=1024 count=$((free - kilobytes)) 2>/dev/null
        "$files/cuarbiter" install --root "$root" >"$tmp/log" 2>&1
        rc=$?
        word=$(cat "$root/etc/ld.so.preload" 2>/dev/null)
        [ "$rc" = 0 ] && [ -e "$root$word" ] || { [ "$rc" = 1 ] && [ -z "$word" ]; } ||
            echo "opt $kilobytes: $rc $word $(cat "$tmp/log")"
    done
    rm -rf "$root/opt/"* "$root/etc/ld.so.preload"
    dd if=/dev/zero of="$root/etc/fill" bs=1024 count=9999 2>/dev/null
    "$files/cuarbiter" install --root "$root" >"$tmp/log" 2>&1
    echo "etc: $? $(cat "$root/etc/ld.so.preload" 2>/dev/null)$(grep -c "No space left" "$tmp/log")"
    rm "$root/etc/fill"
    "$files/cuarbiter" install --root "$root" >/dev/null || echo again
    dd if=/dev/zero of="$root/etc/fill" bs=1024 count=9999 2>/dev/null
    "$files/cuarbiter" uninstall --root "$root" >"$tmp/log" 2>&1 || echo "uninstall: $(cat "$tmp/log")"
' sh "$root" "$files" "$tmp" 2>&1)
case $full in
*77) ok 'a full disk # SKIP no tmpfs here' ;;
*) that 'a full disk: nothing is named that is not there' "$full" 'etc: 1 1' ;;
esac
finish
