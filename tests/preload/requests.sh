#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the shim asks the engine, when, and what it makes of the answers.
#
#   requests.sh BEHAVIOUR
#
# Built for it: the programs, the wrong libcuda.so.1 and libcuda-right.so.
# shellcheck disable=SC2317 # the functions are called by the behaviour's name
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

behaviour=${1:?behaviour}
mkdir "$tmp/home" "$tmp/right" "$tmp/wrong"
ln -s "$shim" "$tmp/home/libcuarbiter.so"
ln -s "$built/fake-engine.so" "$tmp/home/libcuarbiter-engine.so"
cp "$built/libcuda-right.so" "$tmp/right/libcuda.so.1"
cp "$built/libcuda.so.1" "$built/libleaf.so" "$built/libplugin.so" "$built/needs-libcuda.so" "$tmp/wrong"
cp "$built/libcuda.so.1" "$tmp/wrong/libcuda.so"
right=$tmp/right/libcuda.so.1
wrong=$tmp/wrong/libcuda.so.1
export CUA_FAKE_LOG="$tmp/asked" CUARBITER_SYSROOT=/nonexistent

# TABLE WORD...: what the program says, one line; then $tmp/asked is the log.
choose() {
    rm -f "$tmp/asked"
    table=$1
    shift
    # shellcheck disable=SC2086
    CUA_FAKE_TABLE=$table LD_PRELOAD=$tmp/home/libcuarbiter.so $emulator \
        "$built/program-choose" "$@" 2>&1 | tr '\n' ';'
}

asked() {
    [ ! -e "$tmp/asked" ] || cut -d' ' -f1,3- "$tmp/asked" | tr '\n' ';'
}

behave_named() {
    for name in libcuda.so.1 libcuda.so libcuda.so.550.54.14 "$wrong" "$tmp/wrong/libcuda.so"; do
        is "$(choose "named * rename $right" "open:$name")" 'open 1 opened;' "$name is renamed"
        is "$(asked)" "named $name;" "$name is asked for"
    done
    for name in libcudart.so.12 libcuda.so.x libcuda.so. xlibcuda.so.1 libcuda.1 libnvidia-ml2.so \
        libnvrtc.so.12 libnvJitLink.so.12; do
        choose "named * rename $right" "open:$name" >/dev/null
        like "$(asked)" "brought $name;" "$name is none of the table"
    done
    for name in libnvidia-ml.so.1 libnvidia-ptxjitcompiler.so.1 libnvidia-nvvm.so.4 libcudadebugger.so.1 \
        libnvcuvid.so.1 libGLX_nvidia.so.0 libnvidia-gpucomp.so.550.1 libnvidia-pkcs11-openssl3.so.1; do
        is "$(choose "named * rename $right" "open:$name")" 'open 1 opened;' "$name is in the table"
    done
    is "$(choose 'named * leave' "open:$wrong")" 'open 2 opened;' 'left as it is'
    is "$(choose "named * rename $tmp/none" 'open:libcuda.so.1')" 'open -1 failed;' \
        'the right one cannot be opened'
}

# The path of the engine is put together on the stack, or elsewhere where it is long.
behave_home() {
    for length in 100 489 490 511 512 600 3800; do
        home=$tmp/home.$length
        while [ ${#home} -lt $((length - 201)) ]; do home=$home/$(printf %0200d 0); done
        home=$home/
        home=$home$(printf %0$((length - ${#home}))d 0)
        mkdir -p "$home"
        cp "$shim" "$home/libcuarbiter.so"
        ln -s "$built/fake-engine.so" "$home/libcuarbiter-engine.so"
        # shellcheck disable=SC2086
        is "${#home} $(CUA_FAKE_TABLE="named * rename $right" LD_PRELOAD=$home/libcuarbiter.so \
            $emulator "$built/program-choose" open:libcuda.so.1 2>&1)" \
            "$length open 1 opened" "an engine in a folder of $length characters"
    done
    mkdir "$tmp/alone"
    cp "$shim" "$tmp/alone/libcuarbiter.so"
    # shellcheck disable=SC2086
    like "$(cd "$tmp/home" && CUA_FAKE_TABLE="named * rename $right" LD_LIBRARY_PATH=$tmp/home PATH=$tmp/home:$PATH \
        LD_PRELOAD=$tmp/alone/libcuarbiter.so $emulator "$built/program-choose" "open:$wrong" 2>&1 | tr '\n' ';')" \
        '*no-engine: *open 2 opened;' 'an engine in any other folder is none'
}

behave_final() {
    choose "named * rename! $right" many:libcuda.so.1 >/dev/null
    is "$(asked)" 'named libcuda.so.1;' 'a final name is asked for once'
    choose 'named * leave!' many:libnvidia-ml.so.1 >/dev/null
    is "$(asked)" 'named libnvidia-ml.so.1;' 'a final no too'
    choose "named * rename $right" many:libcuda.so >/dev/null
    is "$(wc -l <"$tmp/asked" | tr -d ' ')" 1000 'one that is not final each time'
    choose "named * rename $right" many:libcuda.so.1 >/dev/null
    is "$(asked)" 'named libcuda.so.1;' 'but no more once it is mapped by that name'
    is "$(choose "named * rename! $right" "open:$wrong" "open:$wrong" open:libcuda.so.1)" \
        'open 1 opened;open 1 opened;open 1 opened;' 'each name for itself'
}

behave_noload() {
    is "$(choose "named * rename $right" noload:libcuda.so.1 open:libcuda.so.1 noload:libcuda.so.1 \
        "noload:$wrong")" \
        'noload -1 failed;open 1 opened;noload 1 opened;noload 1 opened;' \
        'a probe finds what is loaded, and loads nothing'
    is "$(choose "brought * first $right" "noload:$tmp/wrong/needs-libcuda.so")" \
        'noload -1 failed without a message;' 'a probe of a plugin'
    is "$(asked)" '' 'is not looked into'
}

behave_namespaces() {
    is "$(choose "named * rename $right" base:libcuda.so.1 new:libcuda.so.1 "new:$wrong")" \
        'base 1 opened;new 1 opened;new 1 opened;' 'dlmopen'
    is "$(choose "brought * first $right" "base:$tmp/wrong/needs-libcuda.so")" 'base 1 opened;' \
        'a plugin in the base'
    is "$(asked)" "brought $tmp/wrong/needs-libcuda.so;" 'is looked into'
    choose "brought * first $right" "new:$tmp/wrong/needs-libcuda.so" >/dev/null
    is "$(asked)" '' 'in another namespace it is not'
}

behave_nested() {
    # Found by the loader too, so that the hook's own is one more of the wrong ones.
    is "$(CUA_FAKE_TABLE="named * rename! $right" LD_LIBRARY_PATH=$tmp/wrong \
        LD_PRELOAD=$tmp/home/libcuarbiter.so:$built/asking-hook.so $emulator \
        "$built/program-choose" "open:$tmp/wrong/libcuda.so" open:libcuda.so 2>&1 |
        tr '\n' ';')" 'open 1 opened;open 1 opened;' \
        'what was asked while the engine was being loaded is asked again'
}

# What ld.so refuses leaves nothing behind.
behave_mode() {
    is "$(choose "brought * first $right" "mode:$tmp/wrong/needs-libcuda.so" noload:libcuda.so.1)" \
        'mode -1 failed;noload -1 failed;' 'a mode that is none: nothing is opened first'
}

behave_brought() {
    plugin=$tmp/wrong/needs-libcuda.so
    is "$(choose '' "plugin:$plugin")" 'plugin 2;' 'by its own RUNPATH it finds the wrong one'
    is "$(asked)" "brought $plugin;" 'and is asked about'
    is "$(choose "brought * first $right" "plugin:$plugin")" 'plugin 1;' 'the right one first'
    is "$(choose "brought * first $right" "plugin:$plugin" "plugin:$plugin" "open:$tmp/wrong/libleaf.so" \
        open:libnone.so.1)" 'plugin 1;plugin 1;open -1 opened;open -1 failed;' 'after that'
    is "$(asked)" "brought $plugin;" 'nothing is asked any more'
    is "$(choose "brought * first $tmp/none" "plugin:$plugin")" 'plugin 2;' \
        'the right one cannot be opened: on with the request'
    choose 'brought * leave!' "many:$plugin" >/dev/null
    is "$(asked)" "brought $plugin;" 'a final answer is asked for once'
    choose 'brought * leave' "open:$plugin" "open:$plugin" "open:$plugin" >/dev/null
    is "$(asked)" "brought $plugin;" 'once it is loaded there is nothing to ask'
}

behave_look() {
    choose '' "open:$tmp/wrong/libleaf.so" "open:$tmp/wrong/libplugin.so" open:libm.so.6 \
        "open:$tmp/wrong/none.so" "open:$built" >/dev/null
    is "$(asked)" '' 'libraries that bring nothing, and none at all, need no engine'
    choose '' open:libnone.so.1 'open:$ORIGIN/libnone.so.1' >/dev/null
    is "$(asked)" 'brought libnone.so.1;brought $ORIGIN/libnone.so.1;' 'what ld.so searches does'
    choose '' "cd:$tmp/wrong" open:./libleaf.so open:./needs-libcuda.so >/dev/null
    is "$(asked)" 'brought ./needs-libcuda.so;' 'relative paths are looked into'
    mkdir "$tmp/a"
    : >"$tmp/a/needs-libcuda.so"
    choose '' "cd:$tmp/a" open:./needs-libcuda.so "cd:$tmp/wrong" open:./needs-libcuda.so >/dev/null
    is "$(asked)" 'brought ./needs-libcuda.so;' 'and not taken for each other'
}

# Names: what ld.so finds by LD_LIBRARY_PATH and its cache is found here, too.
behave_found() {
    mkdir "$tmp/lib"
    cp "$tmp/wrong/libleaf.so" "$tmp/wrong/needs-libcuda.so" "$wrong" "$tmp/lib"
    export LD_LIBRARY_PATH="/nonexistent:$tmp/lib"
    choose '' open:libleaf.so many:libleaf.so fds: >/dev/null
    is "$(asked)" '' 'what brings nothing is not asked about'
    is "$(choose "brought * first $right" plugin:needs-libcuda.so)" 'plugin 1;' 'what does: the right one first'
    is "$(asked)" 'brought needs-libcuda.so;' 'and is asked about'
    choose 'brought * leave!' many:needs-libcuda.so >/dev/null
    is "$(asked)" 'brought needs-libcuda.so;' 'a final answer is asked for once'
    is "$(choose '' open:libleaf.so fds:)" 'open -1 opened;fds 0;' 'no descriptor is left open'
    : >"$tmp/lib/libleaf.so"
    choose '' open:libleaf.so open:libleaf.so >/dev/null
    is "$(asked)" 'brought libleaf.so;brought libleaf.so;' 'what is no library is asked about'
    LD_LIBRARY_PATH="$tmp/\$ORIGIN:$tmp/wrong"
    choose '' open:libplugin.so >/dev/null
    is "$(asked)" 'brought libplugin.so;' 'so is what a path with a $ would lead to'
    LD_LIBRARY_PATH="wrong"
    choose '' "cd:$tmp" open:libplugin.so >/dev/null
    is "$(asked)" 'brought libplugin.so;' 'and a relative one'
    LD_LIBRARY_PATH="$tmp/a:"
    choose '' open:libz.so.1 >/dev/null
    is "$(asked)" 'brought libz.so.1;' 'and an empty one at the end'
    unset LD_LIBRARY_PATH
    # An object with search paths of its own: they may be the ones that count.
    choose '' "open:$tmp/wrong/libplugin.so" open:libz.so.1 >/dev/null
    is "$(asked)" 'brought libz.so.1;' 'and where an object has search paths of its own'
    ldconfig -p 2>/dev/null | grep -q 'libz.so.1 ' && [ -z "$emulator" ] || return 0
    choose '' open:libz.so.1 >/dev/null
    is "$(asked)" '' 'the cache'
    [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || return 0
    mkdir "$tmp/etc" "$tmp/old" "$tmp/new"
    cp "$tmp/wrong/libleaf.so" "$tmp/old"
    cp "$tmp/wrong/needs-libcuda.so" "$tmp/new/libsame.so"
    printf '' | gcc -shared -nostdlib -Wl,-soname,needs-libcuda.so -o "$tmp/old/libsame.so" -x c - ||
        return 0
    ln -s libsame.so "$tmp/old/needs-libcuda.so"
    ln -s libsame.so "$tmp/new/needs-libcuda.so"
    cp "$wrong" "$tmp/new"
    for age in old new; do
        echo "$tmp/$age" >"$tmp/etc/ld.so.conf"
        ldconfig -X -f "$tmp/etc/ld.so.conf" -C "$tmp/etc/$age.cache"
    done
    cp "$tmp/etc/old.cache" "$tmp/etc/ld.so.cache"
    mv "$tmp/etc/new.cache" "$tmp/etc/ld.so.cache.new"
    # shellcheck disable=SC2016
    is "$(CUA_FAKE_TABLE="brought * first $right" unshare -m sh -c '
            mount --bind "$1/etc" /etc
            LD_PRELOAD=$1/home/libcuarbiter.so "$2" open:libleaf.so replace:/etc/ld.so.cache \
                plugin:needs-libcuda.so' sh "$tmp" "$built/program-choose" 2>&1 | grep '^plugin')" 'plugin 1' \
        'a cache that changes while the program runs'
}

behave_absent() {
    unset CUARBITER_SYSROOT
    if [ -e /dev/nvidiactl ] && [ -z "$emulator" ] && unshare -m true 2>/dev/null; then
        # A folder of devices without it, for this test.
        rm -rf "$tmp"
        exec unshare -m sh -c 'exec 9>/dev/null && mount -t tmpfs -o mode=755 none /dev && : >/dev/null &&
            mount --bind /proc/self/fd/9 /dev/null && exec 9>&- && exec "$@"' sh "$0" "$shim" "$built/fake-engine.so" "$built" absent
    fi
    [ ! -e /proc/driver/nvidia ] && [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ] ||
        cannot 'an NVIDIA driver is here'
    is "$(choose "named * rename $right; brought * first $right" "open:$wrong" \
        "plugin:$tmp/wrong/needs-libcuda.so")" 'open 2 opened;plugin 2;' 'without a driver'
    is "$(asked)" '' 'nothing is asked'
    [ -z "$emulator" ] && tracing 'what is opened' || return 0
    LD_PRELOAD='' strace -f -o "$tmp/trace" -E LD_PRELOAD="$tmp/home/libcuarbiter.so" \
        "$built/program-choose" "open:$tmp/wrong/libleaf.so" open:libcuda.so.1 >/dev/null 2>&1
    is "$(grep -c 'libcuarbiter-engine' "$tmp/trace")" 0 'and no engine is loaded'
    is "$(grep -c 'openat(.*\(/nvidia[^/]*\|dxg\)"' "$tmp/trace")" 3 'one look, remembered'
}

# How often the engine's file is opened by the program.
opened() { # WORD...
    strace -f -e trace=openat -o "$tmp/trace" -E LD_PRELOAD="$tmp/home/libcuarbiter.so" \
        "$built/program-choose" "$@" >/dev/null 2>&1
    grep -c 'libcuarbiter-engine' "$tmp/trace"
}

behave_later() {
    scarcities=files:3
    # qemu takes no notice of a limit on memory.
    [ -n "$emulator" ] || scarcities="$scarcities memory:1"
    for scarce in $scarcities; do
        is "$(choose "named * rename $right" $scarce open:libcuda.so.1 "${scarce%:*}:-1" \
            open:libcuda.so.1)" 'open -1 failed;open 1 opened;' \
            "no ${scarce%:*} for the engine, and then there are some"
    done
    [ -z "$emulator" ] && tracing 'how often the engine is opened' || return 0
    tries=$(opened files:3 many:libcuda.so.1)
    is "$([ "$tries" -gt 2 ] && [ "$tries" -lt 500 ] || echo "$tries")" '' \
        'tried again and again, but not each of a thousand times'
    for bad in missing damaged foreign; do
        rm -f "$tmp/home/libcuarbiter-engine.so"
        case $bad in
        damaged) : >"$tmp/home/libcuarbiter-engine.so" ;;
        foreign) cp "$built/foreign-engine.so" "$tmp/home/libcuarbiter-engine.so" ;;
        esac
        once=$(opened open:libcuda.so.1)
        is "$(opened many:libcuda.so.1)" "$once" "an engine that is $bad is not tried again"
    done
}

# All three files are replaced under a running program, as package managers do it: each by rename.
behave_upgraded() {
    for to in fake next foreign; do
        rm "$tmp/home"/*
        cp "$shim" "$tmp/home/libcuarbiter.so"
        cp "$shim" "$tmp/home/libcuarbiter.so.new"
        cp "$built/fake-engine.so" "$tmp/home/libcuarbiter-engine.so"
        cp "$built/$to-engine.so" "$tmp/home/libcuarbiter-engine.so.new"
        got=$(choose "named * rename $right" "open:$tmp/wrong/libleaf.so" \
            "replace:$tmp/home/libcuarbiter.so" "replace:$tmp/home/libcuarbiter-engine.so" \
            open:libcuda.so.1)
        case $to in
        foreign) like "$got" 'cuarbiter: error: no-engine: *open -1 failed;' 'a contract that does not keep the old one' ;;
        next) is "$got" 'open -1 opened;open 1 opened;' 'another contract beside the old one' ;;
        fake) is "$got" 'open -1 opened;open 1 opened;' 'another build of the same contract' ;;
        esac
    done
}

# CUARBITER_POLICY=off: the calls of an empty preload, and one look for the site file, which may lock
# another policy. (In how many parts ld.so maps a file is not compared.)
behave_off() {
    [ -z "$emulator" ] || cannot 'no strace under qemu'
    need_tool strace
    [ ! -e /etc/cuarbiter.conf ] && [ ! -e /opt/cuarbiter/site ] || cannot 'there is a site file here'
    unset CUARBITER_SYSROOT
    mkdir "$tmp/empty"
    cp "$built/empty.so" "$tmp/empty/libcuarbiter.so"
    for words in open:libcuda.so.1 "open:$tmp/wrong/needs-libcuda.so open:libnone.so open:libcuda.so.1" \
        "many:$wrong" linked; do
        program="$built/program-choose $words"
        [ "$words" != linked ] || program="$built/program-linked plain"
        for home in empty home; do
            # shellcheck disable=SC2086
            strace -o "$tmp/trace" -E CUARBITER_POLICY=off -E LD_LIBRARY_PATH="$tmp/wrong" \
                -E LD_PRELOAD="$tmp/$home/libcuarbiter.so" $program >"$tmp/out.$home" 2>&1
            sed "s/0x[0-9a-f]*/0x/g; s,$tmp/$home,HOME,g; s/, [0-9]*, PROT/, PROT/; /^mprotect\|^mmap(.*MAP_DENYWRITE/d
                s/\(st_size\|getrandom\|set_tid_address\).*//; s/=\( 0x\)\? [0-9a-f]*\$/=/" "$tmp/trace" >"$tmp/calls.$home"
        done
        is "$(diff "$tmp/calls.empty" "$tmp/calls.home" | grep '^[<>]')" \
            "$(printf '> openat(AT_FDCWD, "%s", O_RDONLY|O_CLOEXEC|O_PATH) = -1 ENOENT (No such file or directory)\n' \
                /etc/cuarbiter.conf /opt/cuarbiter/site/cuarbiter.conf)" \
            "${words%% *}: two calls more than an empty preload makes"
        is "$(cat "$tmp/out.home")" "$(cat "$tmp/out.empty")" "${words%% *}: the same result"
    done
}

# Engines that cannot be used: the request as it is and one line that says so, or, where what is
# missing is not needed, as with the whole engine. Nobody ends, and nobody waits.
three_requests() {
    timeout 10 env CUA_FAKE_TABLE="named * rename $right" LD_PRELOAD="$tmp/home/libcuarbiter.so" \
        $emulator "$built/program-choose" "open:$wrong" "open:$tmp/wrong/libcuda.so" open:libnone.so \
        2>"$tmp/err" | tr '\n' ';'
}

try_engine() { # NAME: what is logged about the engine as it is now
    got=$(three_requests)
    [ "$got" = "$as_whole" ] && [ ! -s "$tmp/err" ] && return
    [ "$got" = 'open 2 opened;open 2 opened;open -1 failed;' ] &&
        [ "$(grep -c '^cuarbiter: error: no-engine: .*libcuarbiter-engine.so ' "$tmp/err")" = 1 ] &&
        [ "$(wc -l <"$tmp/err")" -eq 1 ] && refused=$((refused + 1)) && return
    bad="$bad$1: $got $(head -c 200 "$tmp/err")
"
}

behave_engine() {
    file=$tmp/home/libcuarbiter-engine.so
    for whole in "$built/fake-engine.so" "$engine"; do
        bad='' refused=0
        as_whole=$(rm -f "$file" && cp "$whole" "$file" && three_requests)
        rm -f "$file"
        try_engine missing
        mkfifo "$file"
        try_engine FIFO
        rm "$file"
        mkdir "$file"
        try_engine folder
        rmdir "$file"
        echo text >"$file"
        try_engine text
        size=$(wc -c <"$whole")
        for part in 1 2 3 5 7 10 15 20 25 30 35 40 50 60 70 80 90 95 97 98 99; do
            head -c $((size * part / 100)) "$whole" >"$file"
            try_engine "cut off at $part %"
            { cat "$file" && head -c $((size - size * part / 100)) /dev/zero; } >"$file.new"
            mv "$file.new" "$file"
            try_engine "zeros from $part % on"
        done
        segment=$(readelf -lW "$whole" | awk '$1 == "LOAD" { print $2 " + " $5 }' | tail -n 1)
        for at in $(seq 0 4096 $(($segment))); do
            cp "$whole" "$file.new"
            dd if=/dev/zero of="$file.new" bs=4096 seek=$((at / 4096)) count=1 conv=notrunc status=none
            mv "$file.new" "$file"
            try_engine "a page of zeros at $at"
        done
        is "$(echo "$bad" | head -n 5)" '' "parts of ${whole##*/}, $refused refused"
    done
    cp "$built/foreign-engine.so" "$file"
    try_engine 'of another contract'
    is "$bad" '' 'an engine of another contract'
    is "$(LD_PRELOAD=$tmp/home/libcuarbiter.so $emulator "$built/program-choose" \
        "open:$tmp/wrong/libleaf.so" 2>&1)" 'open -1 opened' 'no line where nobody asks for libcuda'
    # shellcheck disable=SC3045
    is "$(ulimit -f 0 && three_requests; wc -c <"$tmp/err")" \
        'open 2 opened;open 2 opened;open -1 failed;0' 'a standard error that may not grow'
    [ -z "$emulator" ] && command -v strace >/dev/null || return 0
    strace -f -o "$tmp/trace" -E LD_PRELOAD="$tmp/home/libcuarbiter.so" \
        "$built/program-choose" "open:$wrong" >/dev/null 2>&1
    is "$(grep -c 'open.*libcuarbiter-engine' "$tmp/trace")" 1 'ld.so is never handed it'
}

# A dl_iterate_phdr of the program's own.
behave_own_list() {
    for kind in cached locked; do
        for now in '' 1; do
            is "$(LD_BIND_NOW=$now LD_PRELOAD=$tmp/home/libcuarbiter.so CUA_FAKE_TABLE="named * rename $right" \
                $emulator "$built/program-choose-$kind" open:libcuda.so.1 noload:libcuda.so.1 2>&1 |
                tr '\n' ';')" 'open 1 opened;noload 1 opened;' "$kind${now:+, bound at once}"
            is "$(LD_BIND_NOW=$now LD_PRELOAD=$tmp/home/libcuarbiter.so CUA_FAKE_TABLE="brought * first $right" \
                $emulator "$built/program-choose-$kind" "plugin:$tmp/wrong/needs-libcuda.so" 2>&1)" \
                'plugin 1' "$kind${now:+, bound at once}: a plugin"
        done
    done
}

# Objects below the addresses that they were linked for.
behave_high() {
    is "$(LD_PRELOAD=$tmp/home/libcuarbiter.so CUA_FAKE_TABLE="named * rename $right" \
        $emulator "$built/program-high" open:libcuda.so.1 open:libhigh.so 2>&1 | tr '\n' ';')" \
        'open 1 opened;open -1 opened;' 'a program and its library below their addresses'
}

# The shim comes by dlopen.
# Children of fork beside a thread that opens libraries. Bare none waits for ever; a machine that is
# full of other work may take the processor from that thread at the wrong moment.
behave_forks() {
    [ -z "$emulator" ] || cannot 'not under qemu'
    mkdir "$tmp/many"
    for number in $(seq 0 200); do cp "$built/libleaf.so" "$tmp/many/$number.so"; done
    hung=$(LD_PRELOAD=$tmp/home/libcuarbiter.so "$built/program-forks" "$tmp/many" 200 400)
    echo "#| 400 forks: $hung"
    case $hung in
    'hung '[01]) ok 'children of fork find the list free' ;;
    *) not_ok 'children of fork find the list free' "$hung of 400" ;;
    esac
    is "$(LD_PRELOAD=$tmp/home/libcuarbiter.so timeout 20 "$built/program-forks" "$tmp/many" handler)" \
        'hung 0' "fork's own handlers open the first library"
    # It is held for 5 ms, which a full machine may make too long for a try.
    for try in 1 2 3; do
        hung=$(LD_PRELOAD=$tmp/home/libcuarbiter.so timeout 20 "$built/program-forks" "$tmp/many" held)
        [ "$hung" = 'hung 1' ] || break
    done
    is "$hung" 'hung 0' "a fork waits for a thread that waits for the list (try $try)"
}

# Another namespace's objects count in ld.so's own number of unloaded objects, squared.
behave_unloaded() {
    mkdir "$tmp/some"
    for number in 0 1 2; do cp "$built/libleaf.so" "$tmp/some/$number.so"; done
    is "$(LD_PRELOAD=$tmp/home/libcuarbiter.so $emulator "$built/program-unloaded" "$tmp/some"; echo "status $?")" \
        "apart 1, third 1
status 0" 'a library is opened after others were unloaded and a namespace was made'
}

behave_late() {
    is "$(CUA_FAKE_TABLE="named * rename $right" $emulator "$built/program-late-shim" \
        "$tmp/home/libcuarbiter.so" "$tmp/wrong/libleaf.so" 2>&1 | tr '\n' ';')" \
        'first 1;second 1;' 'what it had from the environment may go away'
}

behave_ctypes() {
    need_tool python3
    got=$(CUA_FAKE_TABLE="named libcuda.* rename $right" LD_PRELOAD=$tmp/home/libcuarbiter.so \
        python3 -c 'import ctypes; print(ctypes.CDLL("libcuda.so.1").who())')
    is "$got" 1 'ctypes'
}

"behave_$behaviour"
finish
