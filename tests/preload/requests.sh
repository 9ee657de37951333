#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the shim asks the answerer, when, and what it makes of the answers.
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
ln -s "$built/fake-answerer" "$tmp/home/cuarbiter-answer"
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
    is "$(choose "named * rename? $right" 'open:libcuda.so.1')" 'open -1 failed;' \
        'it was replaced since it was looked at'
}

# The path of the answerer is put together on the stack, or elsewhere where it is long.
behave_home() {
    for length in 100 489 490 511 512 600 3800; do
        home=$tmp/home.$length
        while [ ${#home} -lt $((length - 201)) ]; do home=$home/$(printf %0200d 0); done
        home=$home/
        home=$home$(printf %0$((length - ${#home}))d 0)
        mkdir -p "$home"
        cp "$shim" "$home/libcuarbiter.so"
        ln -s "$built/fake-answerer" "$home/cuarbiter-answer"
        # shellcheck disable=SC2086
        is "${#home} $(CUA_FAKE_TABLE="named * rename $right" LD_PRELOAD=$home/libcuarbiter.so \
            $emulator "$built/program-choose" open:libcuda.so.1 2>&1)" \
            "$length open 1 opened" "an answerer in a folder of $length characters"
    done
    mkdir "$tmp/alone"
    cp "$shim" "$tmp/alone/libcuarbiter.so"
    # shellcheck disable=SC2086
    like "$(cd "$tmp/home" && CUA_FAKE_TABLE="named * rename $right" LD_LIBRARY_PATH=$tmp/home PATH=$tmp/home:$PATH \
        LD_PRELOAD=$tmp/alone/libcuarbiter.so $emulator "$built/program-choose" "open:$wrong" 2>&1 | tr '\n' ';')" \
        '*no-answerer: *open 2 opened;' 'an answerer in any other folder is none'

    name=$(printf 'a\033[31mb')
    mkdir "$tmp/$name"
    cp "$shim" "$tmp/$name/libcuarbiter.so"
    # shellcheck disable=SC2086
    like "$(LD_PRELOAD=$tmp/$name/libcuarbiter.so $emulator "$built/program-choose" "open:$wrong" 2>&1)" \
        '*no-answerer: *a\?\[31mb/*' "what a folder's name holds moves no cursor"
}

behave_final() {
    choose "named * rename! $right" many:libcuda.so.1 >/dev/null
    is "$(asked)" 'named libcuda.so.1;' 'a final name is asked for once'
    if command -v strace >/dev/null; then
        emulator="strace -qq -e trace=%file -o $tmp/trace $emulator" choose "named * rename! $right" many:libcuda.so.1 >/dev/null
        is "$(($(grep -c "\"$right\"" "$tmp/trace") < 10)) $(asked)" '1 named libcuda.so.1;' 'and looked up no more while it is loaded'
    else
        may_lack strace
    fi
    choose 'named * leave!' many:libnvidia-ml.so.1 >/dev/null
    is "$(asked)" 'named libnvidia-ml.so.1;' 'a final no too'
    choose 'named * leave!' "open:$tmp/libnvidia-ml.so.1" "global:$tmp/libnvidia-ml.so.1" >/dev/null
    is "$(asked)" "named $tmp/libnvidia-ml.so.1;" 'and of a whole path, whoever asks'
    choose "named * rename $right" many:libcuda.so >/dev/null
    is "$(wc -l <"$tmp/asked" | tr -d ' ')" 1000 'one that is not final each time'
    choose "named * rename $right" many:libcuda.so.1 >/dev/null
    is "$(asked)" 'named libcuda.so.1;' 'but no more once it is mapped by that name'
    LD_LIBRARY_PATH=$tmp/wrong choose 'named * leave!' open:libcuda.so.1 global:libcuda.so.1 plugin:libcuda.so.1 \
        many:libcuda.so.1 open:libcuda.so.1 >/dev/null
    is "$(asked)" 'named libcuda.so.1;' 'what is loaded by its name is asked for once, whoever asks'
    is "$(choose "named * rename! $right" "open:$wrong" "open:$wrong" open:libcuda.so.1)" \
        'open 1 opened;open 1 opened;open 1 opened;' 'each name for itself'
}

behave_loaded() {
    leaf=$tmp/wrong/libleaf.so
    is "$(choose "brought * leave!" "open:$leaf" open:libleaf.so open:libleaf.so many:libleaf.so)" \
        'open -1 opened;open -1 opened;open -1 opened;' 'what is loaded is opened by its name'
    is "$(asked)" 'brought libleaf.so;brought libleaf.so;' 'and asked about once for a caller that would not find it'
    choose 'brought * leave' open:libleaf.so >/dev/null
    is "$(asked)" 'brought libleaf.so;' 'one that is not loaded may'
}

behave_companions() {
    part=libnvidia-ptxjitcompiler.so.1
    table="named $wrong leave; named libcuda* rename! $right; named * leave; companion $part rename! $tmp/right/libcuda.so.1"
    is "$(choose "$table" open:libcuda.so.1 open:$part)" 'open 1 opened;open 1 opened;' 'companions come with the libcuda'
    is "$(asked)" 'named libcuda.so.1;' 'and are not asked for'
    choose "$table" open:libcuda.so.1 "open:$wrong" open:$part >/dev/null
    is "$(asked)" "named libcuda.so.1;named $wrong;named $part;" 'those of another libcuda are forgotten'
}

# A library of a later library: found by that one's own path, and under a name that ld.so's paths give
# to a library which is mapped by another name.
behave_alias() {
    command -v gcc >/dev/null && [ -z "$emulator" ] || return 0
    mkdir "$tmp/common" "$tmp/wheel"
    echo 'const char *who(void) { return "common"; }' >"$tmp/common.c"
    echo 'const char *who(void) { return "own"; }' >"$tmp/own.c"
    cat >"$tmp/plugin.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
void go(const char *name)
{
    void *own = dlopen(name, RTLD_NOW);
    const char *(*who)(void) = own ? (const char *(*)(void))dlsym(own, "who") : NULL;
    puts(who ? who() : "none");
    if (own)
        dlclose(own);
}
C
    cat >"$tmp/main.c" <<'C'
#include <dlfcn.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    dlopen("libcommon.so.1", RTLD_NOW);
    void *plugin = dlopen(argv[1], RTLD_NOW);
    for (int i = 0; plugin && i < argc - 2; i++)
        ((void (*)(const char *))dlsym(plugin, "go"))(argv[2 + i]);
    return 0;
}
C
    gcc -shared -fPIC -Wl,-soname,libcommon.so.1 -o "$tmp/common/libcommon.so.1" "$tmp/common.c" &&
        ln -s libcommon.so.1 "$tmp/common/libcommon.so" &&
        gcc -shared -fPIC -Wl,-soname,libown.so.1 -o "$tmp/wheel/libcommon.so" "$tmp/own.c" &&
        gcc -shared -fPIC -Wl,--disable-new-dtags,-rpath,'$ORIGIN/wheel' -o "$tmp/plugin.so" "$tmp/plugin.c" -ldl &&
        gcc -o "$tmp/main" "$tmp/main.c" -ldl || return 0
    rm -f "$tmp/asked"
    is "$(LD_LIBRARY_PATH=$tmp/common CUA_FAKE_TABLE='' LD_PRELOAD=$tmp/home/libcuarbiter.so "$tmp/main" \
        "$tmp/plugin.so" libcommon.so libcommon.so libcommon.so libnone.so libnone.so | tr '\n' ' ')" \
        'own own own none none ' 'it gets its own'
    is "$(asked)" 'brought libnone.so;' 'and only what is not found is asked about, once'
}

behave_noload() {
    is "$(choose "named * rename $right" closed:libcuda.so.1 noload:libcuda.so.1 "noload:$wrong")" \
        'noload -1 failed;noload -1 failed without a message;' 'a probe where it was closed'
    is "$(asked)" 'named libcuda.so.1;' 'and is not asked about'

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
        'what a hook asks in the middle of a request is asked, too'
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
    is "$(choose "brought * first? $right" "plugin:$plugin")" 'plugin 2;' \
        'it was replaced since it was looked at: on with the request'
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
    choose '' "cd:$tmp" open:libplugin.so many:libplugin.so open:needs-libcuda.so >/dev/null
    is "$(asked)" 'brought needs-libcuda.so;' 'a relative path is that of the current folder'
    choose '' "cd:$tmp/lib" open:libplugin.so >/dev/null
    is "$(asked)" 'brought libplugin.so;' 'what is in no folder is asked about'
    choose '' "cd:$tmp/lib" many:libplugin.so >/dev/null
    is "$(asked)" 'brought libplugin.so;' 'and once only'
    for LD_LIBRARY_PATH in "$tmp/a:" ":$tmp/a" "$tmp/a::$tmp/b"; do
        choose '' "cd:$tmp/wrong" open:libplugin.so many:libplugin.so open:needs-libcuda.so >/dev/null
        is "$(asked)" 'brought needs-libcuda.so;' "an empty one too: ${LD_LIBRARY_PATH#"$tmp"}"
    done
    unset LD_LIBRARY_PATH
    # As plugins have them, and wheels.
    mkdir "$tmp/site" "$tmp/site/lib"
    printf '' >"$tmp/empty.c"
    for paths in --enable-new-dtags --disable-new-dtags; do
        gcc -shared -nostdlib -Wl,-soname,libinner.so -o "$tmp/site/lib/libinner.so" "$tmp/empty.c" &&
            gcc -shared -nostdlib -Wl,--no-as-needed "-Wl,$paths,-rpath,\$ORIGIN/lib" -o "$tmp/site/outer.so" \
                "$tmp/empty.c" "$tmp/site/lib/libinner.so" || return 0
        choose '' "open:$tmp/site/outer.so" >/dev/null
        is "$(asked)" '' "what a library finds by its own path, $paths"
    done
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
            mount --bind /proc/self/fd/9 /dev/null && exec 9>&- && exec "$@"' sh "$0" "$shim" "$built/fake-answerer" "$built" absent
    fi
    [ ! -e /proc/driver/nvidia ] && [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ] ||
        cannot 'an NVIDIA driver is here'
    is "$(choose "named * rename $right; brought * first $right" "open:$wrong" \
        "plugin:$tmp/wrong/needs-libcuda.so")" 'open 2 opened;plugin 2;' 'without a driver'
    is "$(asked)" '' 'nothing is asked'
    [ -z "$emulator" ] && tracing 'what is opened' || return 0
    LD_PRELOAD='' strace -f -o "$tmp/trace" -E LD_PRELOAD="$tmp/home/libcuarbiter.so" \
        "$built/program-choose" "open:$tmp/wrong/libleaf.so" open:libcuda.so.1 >/dev/null 2>&1
    is "$(grep -c 'cuarbiter-answer' "$tmp/trace")" 0 'and no engine is loaded'
    is "$(grep -c 'openat(.*\(/nvidia[^/]*\|dxg\|nvgpu\)"' "$tmp/trace")" 4 'one look, remembered'
    unshare -m true 2>/dev/null || return 0
    # shellcheck disable=SC2016
    is "$(CUA_FAKE_TABLE="named * rename $right" unshare -m sh -c '
            mount -t tmpfs none /sys && mkdir -p /sys/module/nvgpu &&
            LD_PRELOAD=$1/home/libcuarbiter.so exec "$2" open:libcuda.so.1' sh "$tmp" \
        "$built/program-choose")" 'open 1 opened' 'a Jetson that has only nvgpu is asked about'
}

# How often the answerer's file is opened by the program.
started() { # WORD...
    strace -f -e trace=execve -o "$tmp/trace" -E LD_PRELOAD="$tmp/home/libcuarbiter.so" \
        "$built/program-choose" "$@" >/dev/null 2>&1
    grep -c 'execve.*cuarbiter-answer' "$tmp/trace"
}

behave_later() {
    scarcities=files:3
    # qemu takes no notice of a limit on memory.
    [ -n "$emulator" ] || scarcities="$scarcities memory:1"
    for scarce in $scarcities; do
        is "$(choose "named * rename $right" $scarce open:libcuda.so.1 "${scarce%:*}:-1" \
            open:libcuda.so.1 | sed 's/cuarbiter: warn: no-process: [^;]*;//')" 'open -1 failed;open 1 opened;' \
            "no ${scarce%:*} for the answerer, and then there are some"
    done
    like "$(CUA_FAKE_FAULT=killed choose '' "open:$wrong" "open:$wrong")" \
        '*cuarbiter: warn: no-answer: */cuarbiter-answer was killed: libcuda*open 2 opened;' 'an answerer that was killed'
    begin=$(date +%s)
    CUA_FAKE_FAULT=waits choose '' "open:$wrong" open:libnvidia-ml.so.1 open:libnvcuvid.so.1 open:libnvoptix.so.1 \
        open:libnvidia-ptxjitcompiler.so.1 >/dev/null
    is "$(($(date +%s) - begin < 7))" 1 'one that does not answer in time is not waited for five times'
    # Six descriptors are too few to ask. What goes wrong now and then never ends the asking.
    some=$(for _ in $(seq 15); do printf 'open:libnvidia-ml.so.1 '; done)
    # shellcheck disable=SC2086
    choose 'named * leave' files:6 $some files:-1 open:libnvidia-ml.so.1 files:6 $some files:-1 \
        open:libnvidia-ml.so.1 >/dev/null
    is "$(asked)" 'named libnvidia-ml.so.1;named libnvidia-ml.so.1;' 'fifteen failures, an answer, and as many again'
    # shellcheck disable=SC2086
    choose 'named * leave' files:6 $some open:libnvidia-ml.so.1 files:-1 open:libnvidia-ml.so.1 >/dev/null
    is "$(asked)" '' 'sixteen in a row do'
    # More entries of a dynamic section than a question takes.
    # shellcheck disable=SC2046
    if printf '' | gcc -shared -nostdlib -o "$tmp/many.so" -x c - $(seq -f '-Wl,-f,libnone%g.so' 600) 2>/dev/null; then
        like "$(choose "named * rename $right" "open:$tmp/many.so" "open:$wrong")" \
            '*no-answer: *could not be told which libraries are loaded*open 2 opened;' 'a library that cannot be described'
    fi
    [ -z "$emulator" ] && tracing 'how often the answerer is started' || return 0
    tries=$(CUA_FAKE_FAULT=silent started many:libcuda.so.1)
    is "$([ "$tries" -lt 50 ] || echo "$tries")" '' 'not tried each of a thousand times'
    for bad in missing damaged foreign; do
        rm -f "$tmp/home/cuarbiter-answer"
        case $bad in
        damaged) : >"$tmp/home/cuarbiter-answer" ;;
        foreign) cp "$built/foreign-answerer" "$tmp/home/cuarbiter-answer" ;;
        esac
        once=$(started open:libcuda.so.1)
        is "$(started many:libcuda.so.1)" "$once" "an answerer that is $bad is not tried again"
    done
}

# All three files are replaced under a running program, as package managers do it: each by rename.
behave_upgraded() {
    for to in fake foreign; do
        rm "$tmp/home"/*
        cp "$shim" "$tmp/home/libcuarbiter.so"
        cp "$shim" "$tmp/home/libcuarbiter.so.new"
        cp "$built/fake-answerer" "$tmp/home/cuarbiter-answer"
        cp "$built/$to-answerer" "$tmp/home/cuarbiter-answer.new"
        got=$(choose "named * rename $right" "open:$tmp/wrong/libleaf.so" \
            "replace:$tmp/home/libcuarbiter.so" "replace:$tmp/home/cuarbiter-answer" \
            open:libcuda.so.1)
        case $to in
        foreign) like "$got" 'cuarbiter: error: no-answerer: *open -1 failed;' 'another frame' ;;
        fake) is "$got" 'open -1 opened;open 1 opened;' 'another build of the same frame' ;;
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
    timeout 40 env CUA_FAKE_TABLE="named * rename $right" LD_PRELOAD="$tmp/home/libcuarbiter.so" \
        $emulator "$built/program-choose" "open:$wrong" "open:$tmp/wrong/libcuda.so" open:libnone.so \
        2>"$tmp/err" | tr '\n' ';'
}

try_answerer() { # NAME [WHY]: what is logged about the answerer as it is now
    got=$(three_requests)
    case $(cat "$tmp/err") in *"cuarbiter-answer ${2-}"*': libcuda.so'*' is loaded as without cuarbiter') ;; ?*) got="$got, ";; esac
    [ "$got" = "$as_whole" ] && [ ! -s "$tmp/err" ] && return
    [ "$got" = 'open 2 opened;open 2 opened;open -1 failed;' ] &&
        [ "$(grep -cE '^cuarbiter: (error: no-answerer|warn: no-answer): .*cuarbiter-answer ' "$tmp/err")" = 1 ] &&
        [ "$(wc -l <"$tmp/err")" -eq 1 ] && refused=$((refused + 1)) && return
    bad="$bad$1: $got $(head -c 200 "$tmp/err")
"
}

behave_answerer() {
    file=$tmp/home/cuarbiter-answer
    for whole in "$built/fake-answerer" "$answerer"; do
        bad='' refused=0
        as_whole=$(rm -f "$file" && cp "$whole" "$file" && three_requests)
        rm -f "$file"
        try_answerer missing 'is missing'
        mkfifo "$file"
        try_answerer FIFO 'cannot be executed here (check'
        rm "$file"
        mkdir "$file"
        try_answerer folder 'cannot be executed here (check'
        rmdir "$file"
        printf text >"$file"
        chmod 755 "$file"
        try_answerer text 'is no program that can run here'
        size=$(wc -c <"$whole")
        for part in 1 2 3 5 7 10 15 20 25 30 35 40 50 60 70 80 90 95 97 98 99; do
            head -c $((size * part / 100)) "$whole" >"$file"
            try_answerer "cut off at $part %"
            { cat "$file" && head -c $((size - size * part / 100)) /dev/zero; } >"$file.new"
            mv "$file.new" "$file"
            try_answerer "zeros from $part % on"
        done
        segment=$(readelf -lW "$whole" | awk '$1 == "LOAD" { print $2 " + " $5 }' | tail -n 1)
        for at in $(seq 0 16384 $(($segment))); do
            cp "$whole" "$file.new"
            dd if=/dev/zero of="$file.new" bs=4096 seek=$((at / 4096)) count=1 conv=notrunc status=none
            mv "$file.new" "$file"
            try_answerer "a page of zeros at $at"
        done
        is "$(echo "$bad" | head -n 5)" '' "parts of ${whole##*/}, $refused refused"
    done
    cp "$built/foreign-answerer" "$file"
    try_answerer 'of another frame' 'gave no usable answer (damaged, or of another version?)'
    is "$bad" '' 'an answerer of another frame'
    is "$(LD_PRELOAD=$tmp/home/libcuarbiter.so $emulator "$built/program-choose" open:libnvidia-ml.so.1 2>&1 |
        sed 's/.*: //')" 'libnvidia-ml.so.1 is loaded as without cuarbiter
open -1 failed' 'the library that was asked for is named'
    is "$(LD_PRELOAD=$tmp/home/libcuarbiter.so $emulator "$built/program-choose" \
        "open:$tmp/wrong/libleaf.so" 2>&1)" 'open -1 opened' 'no line where nobody asks for libcuda'
    # shellcheck disable=SC3045
    is "$(ulimit -f 0 && three_requests; wc -c <"$tmp/err")" \
        'open 2 opened;open 2 opened;open -1 failed;0' 'a standard error that may not grow'
    [ -z "$emulator" ] && command -v strace >/dev/null || return 0
    strace -f -o "$tmp/trace" -E LD_PRELOAD="$tmp/home/libcuarbiter.so" \
        "$built/program-choose" "open:$wrong" >/dev/null 2>&1
    is "$(grep -c 'open.*cuarbiter-answer' "$tmp/trace")" 0 'ld.so is never handed it'
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
}

# A profiler answers for libcuda, whichever of the two preloads comes first.
behave_stand_in() {
    hook=$built/stand-in-hook.so
    export LD_LIBRARY_PATH="$tmp/wrong"
    for name in libcuda.so.1 libcuda.so; do
        # shellcheck disable=SC2086
        is "$(LD_PRELOAD=$hook $emulator "$built/program-choose" "open:$name" | tr '\n' ';')" \
            'open 32 opened;' "$name, bare"
        for preload in "$tmp/home/libcuarbiter.so $hook" "$hook $tmp/home/libcuarbiter.so"; do
            for answer in "rename! $right=31" 'leave!=32' "rename $right=31"; do
                # shellcheck disable=SC2086
                is "$(CUA_FAKE_TABLE="named * ${answer%=*}" LD_PRELOAD=$preload $emulator "$built/program-choose" \
                    "open:$name" "noload:$name" "open:$name" "plugin:$tmp/wrong/needs-libcuda.so" "open:$name" 2>&1 |
                    sed 's/^plugin.*/plugin/' | tr '\n' ';')" \
                    "open ${answer#*=} opened;noload ${answer#*=} opened;open ${answer#*=} opened;plugin;open ${answer#*=} opened;" \
                    "$name, ${answer%% *}, $(basename "${preload%% *}") first"
            done
        done
    done
}

# Rows of other names and callers lie beside each place of the cache.
behave_crowded() {
    is "$(CUA_FAKE_TABLE="named * rename $right" LD_LIBRARY_PATH=$tmp/wrong \
        LD_PRELOAD=$tmp/home/libcuarbiter.so $emulator "$built/program-many-callers" 2>&1)" 'libcuda 1' \
        'the cache is full of other rows'
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
    # shellcheck disable=SC2086
    is "$(cd "$tmp/home" && CUA_FAKE_TABLE="named * rename $right" $emulator "$built/program-late-shim" \
        ./libcuarbiter.so "$tmp/wrong/libleaf.so" / 2>&1 | tr '\n' ';')" \
        'first 1;second 1;' 'opened by a relative path, and then the program goes to another folder'
}

behave_ctypes() {
    need_tool python3
    got=$(CUA_FAKE_TABLE="named libcuda.* rename $right" LD_PRELOAD=$tmp/home/libcuarbiter.so \
        python3 -c 'import ctypes; print(ctypes.CDLL("libcuda.so.1").who())')
    is "$got" 1 'ctypes'
}

"behave_$behaviour"
finish
