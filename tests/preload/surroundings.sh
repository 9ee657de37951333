#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shim where it has nothing to do, or must not do anything.
#
#   surroundings.sh BEHAVIOUR
# shellcheck disable=SC2317 # the functions are called by the behaviour's name
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"
unset MALLOC_PERTURB_ # meson's own

behaviour=${1:?behaviour}
mkdir -m 755 "$tmp/home" "$tmp/right"
chmod 755 "$tmp"
# Copies: a set-user-ID program's libraries must be found by others too.
cp "$shim" "$tmp/home/libcuarbiter.so"
cp "$built/fake-answerer" "$tmp/home/cuarbiter-answer"
cp "$built/libcuda-right.so" "$tmp/right/libcuda.so.1"
s=$tmp/home/libcuarbiter.so
linked=$built/program-linked

calls() { # LD_PRELOAD COMMAND...: its system calls, addresses and numbers taken out
    preload=$1
    shift
    env -i strace -o "$tmp/trace" -E LD_PRELOAD="$preload" "$@" >/dev/null 2>&1
    sed -e 's/(.*//' "$tmp/trace"
}

# Exactly the calls that map one file, and no other.
behave_calls() {
    need_tool strace
    calls '' /bin/true >"$tmp/bare"
    calls "$s" /bin/true >"$tmp/shimmed"
    is "$(diff "$tmp/bare" "$tmp/shimmed" | sed -n 's/^< //p')" '' '/bin/true makes all its calls'
    # newfstatat has another name with a newer glibc.
    is "$(diff "$tmp/bare" "$tmp/shimmed" | sed -n 's/^> //p' | sed 's/^newfstatat/fstat/' | sort |
        tr '\n' ' ')" 'close fstat mmap mmap mprotect openat read ' \
        'and seven more, which map one file: two fewer than an empty library'
    CUARBITER_SYSROOT=/nonexistent calls "$s" /bin/true >"$tmp/driver"
    is "$(diff "$tmp/shimmed" "$tmp/driver")" '' 'with a driver too'
    calls "$s" /bin/sh -c : >"$tmp/shell"
    is "$(grep -c 'execve' "$tmp/shell")" 1 'a shell executes nothing'
}

count() { # LD_PRELOAD: instructions of /bin/true
    env -i ${1:+LD_PRELOAD="$1"} valgrind --tool=callgrind --callgrind-out-file=/dev/null /bin/true \
        2>&1 | sed -n 's/.*Collected : //p'
}

behave_instructions() {
    need_tool valgrind
    bare=$(count '') empty=$(count "$built/empty.so") shimmed=$(count "$s")
    echo "# /bin/true: bare $bare, empty preload +$((empty - bare)), shim +$((shimmed - bare))"
    is "$((100 * (shimmed - bare) <= 125 * (empty - bare)))" 1 \
        'at most 1.25 times what an empty preload adds'
}

behave_static() {
    "$built/program-static" >"$tmp/bare" 2>&1
    LD_PRELOAD=$s "$built/program-static" >"$tmp/shimmed" 2>&1
    is "$?, $(cat "$tmp/shimmed")" "0, $(cat "$tmp/bare")" 'a static program'
}

behave_valgrind() {
    need_tool valgrind
    is "$(CUARBITER_SYSROOT=/nonexistent LD_PRELOAD=$shim valgrind -q "$built/program-short-names" \
        2>&1 | head -n 5)" '' 'valgrind finds nothing to say of the shim'
}

behave_missing() {
    ln -s loop "$tmp/loop"
    for file in "$tmp/none" "$tmp/loop" "$tmp" "$0"; do
        got=$(LD_PRELOAD=$file /bin/true 2>&1)
        status=$?
        like "$status $got" '0 *ignored.' "ld.so passes over ${file##*/}"
    done
}

# A libcuda that LD_PRELOAD names stays the program's, and is not joined by another.
behave_preloaded() {
    export CUARBITER_SYSROOT=/nonexistent CUA_FAKE_TABLE="linked * exec $tmp/right/libcuda.so.1"
    mkdir "$tmp/other"
    cp "$built/libcuda.so.1" "$tmp/other/libcuda.so"
    for file in "$built/libcuda.so.1" "$tmp/other/libcuda.so"; do
        for list in "$file" "$s:$file" "$file:$s" "$s $file"; do
            is "$(LD_PRELOAD=$list "$linked" mapped 2>"$tmp/err" | tr '\n' ' ')" \
                "who 2, constructed 1 mapped $file " "${file##*/} in LD_PRELOAD: that one alone"
        done
        is "$(grep -c '^cuarbiter: no-second-exec:.*LD_PRELOAD names another libcuda already' "$tmp/err")" 1 \
            'one line says why'
    done
    is "$(LD_PRELOAD=$s "$linked" mapped 2>/dev/null | head -n 1)" 'who 1, constructed 1' \
        'without it the right one is preloaded'
}

# AddressSanitizer's runtime must come first, whatever else is preloaded.
behave_sanitizer() {
    need_tool gcc
    printf '%s\n' '#include <dlfcn.h>' '#include <stdio.h>' '#include <stdlib.h>' \
        'int main(int argc, char **argv) { void *h = dlopen(argv[argc - 1], RTLD_NOW);' \
        'int (*who)(void) = h ? (int (*)(void))dlsym(h, "who") : 0; char *volatile p = malloc(8);' \
        'printf("%d\n", who ? who() : -1); fflush(stdout); if (argc > 2) p[8] = 1;' \
        'free(p); return 3; }' >"$tmp/program.c"
    gcc -o "$tmp/plain" "$tmp/program.c" -ldl
    gcc -fsanitize=address -o "$tmp/address" "$tmp/program.c" -ldl 2>/dev/null &&
        [ "$(ASAN_OPTIONS=detect_leaks=0 "$tmp/address" "$built/libcuda.so.1" 2>&1)" = 2 ] ||
        skip 'no AddressSanitizer here'
    asan=$(gcc -print-file-name=libasan.so)
    runtime=$(readlink -f "$asan")
    export CUARBITER_SYSROOT=/nonexistent CUA_FAKE_TABLE="named * rename $tmp/right/libcuda.so.1"
    export ASAN_OPTIONS=detect_leaks=0
    for other in "$built/empty.so" "$s"; do
        got=$(LD_PRELOAD=$other "$tmp/address" "$built/libcuda.so.1" 2>&1)
        like "$?, $got" '1, *ASan runtime does not come first*' "${other##*/}: it refuses to start"
        got=$(LD_PRELOAD=$other:$runtime "$tmp/plain" "$built/libcuda.so.1" 2>&1)
        like "$?, $got" '1, *ASan runtime does not come first*' "${other##*/} first: so it does"
    done
    export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
    got=$(LD_PRELOAD=$s "$tmp/address" "$built/libcuda.so.1" 2>&1)
    is "$?, $got" '3, 1' 'verify_asan_link_order=0: the right libcuda'
    got=$(LD_PRELOAD=$s "$tmp/address" x "$built/libcuda.so.1" 2>&1)
    like "$?, $got" '1, *heap-buffer-overflow*' 'and it finds what it is there for'
    export ASAN_OPTIONS=detect_leaks=0
    got=$(LD_PRELOAD=$runtime:$s "$tmp/address" "$built/libcuda.so.1" 2>&1)
    is "$?, $got" '3, 1' 'the runtime first, as docs/limits.md has it: the right libcuda'
    got=$(LD_PRELOAD=$runtime:$s "$tmp/plain" "$built/libcuda.so.1" 2>&1)
    is "$?, $got" '3, 1' 'a program without AddressSanitizer beside its runtime'
}

# `cuarbiter install` names the shim by $LIB, so that 32-bit programs find an empty library there.
behave_32bit() {
    need_tool gcc
    printf 'int main(void) { return 0; }\n' >"$tmp/small.c"
    gcc -m32 -o "$tmp/small" "$tmp/small.c" 2>/dev/null || skip 'no 32-bit compiler here'
    "$tmp/small" || skip 'no 32-bit programs here'
    got=$(LD_PRELOAD=$s "$tmp/small" 2>&1)
    like "$?, $got" '0, *wrong ELF class*ignored.' 'a 64-bit path: ld.so says so and goes on'
    printf '' | gcc -m32 -shared -nostdlib -o "$tmp/empty32.so" -x c - 2>/dev/null
    got=$(LD_PRELOAD=$tmp/empty32.so "$tmp/small" 2>&1)
    is "$?, $got" '0, ' 'an empty 32-bit library in its place is silent'
}

behave_musl() {
    need_tool musl-gcc
    printf '%s\n' '#include <dlfcn.h>' '#include <stdio.h>' \
        'int main(void) { void *h = dlopen("libcuda.so.1", RTLD_NOW);' \
        'printf("%d %s\n", h != 0, dlerror()); h = dlopen(0, RTLD_NOW);' \
        'printf("%d\n", h != 0 && dlsym(h, "main") != 0); return 3; }' >"$tmp/musl.c"
    musl-gcc -rdynamic -o "$tmp/musl" "$tmp/musl.c" || skip 'musl-gcc does not work here'
    bare=$("$tmp/musl")
    CUA_FAKE_TABLE="named * rename $tmp/right/libcuda.so.1" CUA_FAKE_LOG=$tmp/asked \
        CUARBITER_SYSROOT=/x LD_PRELOAD=$s "$tmp/musl" >"$tmp/out" 2>&1
    is "$?, $(cat "$tmp/out")" "3, $bare" 'a program of musl is as bare'
    is "$([ -e "$tmp/asked" ] && echo asked)" '' 'and nothing is asked'
}

# An ordinary user's process, with the shim in /etc/ld.so.preload and libcuda in the loader's cache:
# a program with raised privileges takes nothing from its $ORIGIN.
as_user() { # NAME PROGRAM WANTED
    rm -f "$tmp/log/asked"
    # shellcheck disable=SC2016
    unshare -m sh -c '
        mount --bind "$1/etc" /etc
        export CUARBITER_SYSROOT=/nonexistent CUA_FAKE_LOG="$1/log/asked"
        export CUA_FAKE_TABLE="linked * exec $1/right/libcuda.so.1"
        exec setpriv --reuid 65534 --regid 65534 --clear-groups \
            env CUARBITER_LOG=debug "$2" plain' sh "$tmp" "$2" \
        >"$tmp/out" 2>&1
    is "$(grep -v '^constructor' "$tmp/out")" "$3" "$1"
}

behave_privilege() {
    need_tool setpriv ldconfig
    [ "$(id -u)" = 0 ] || cannot 'not root'
    unshare -m true 2>/dev/null || cannot 'no mount namespaces here'
    mkdir -m 777 "$tmp/log"
    mkdir -m 755 "$tmp/bin" "$tmp/etc"
    cp "$built/libcuda.so.1" "$tmp/bin"
    cp "$linked" "$tmp/bin/plain"
    cp "$linked" "$tmp/bin/raised"
    cp /etc/passwd /etc/group "$tmp/etc"
    echo "$s" >"$tmp/etc/ld.so.preload"
    echo "$tmp/bin" >"$tmp/etc/ld.so.conf"
    ldconfig -X -f "$tmp/etc/ld.so.conf" -C "$tmp/etc/ld.so.cache" 2>/dev/null
    as_user 'a plain program is executed again' "$tmp/bin/plain" 'who 1, constructed 1'
    is "$(cut -d ' ' -f 1 "$tmp/log/asked" | tr '\n' ' ')" 'linked active ' 'and an answerer was asked'
    chmod 4755 "$tmp/bin/raised"
    as_user 'set-user-ID: as bare' "$tmp/bin/raised" 'who 2, constructed 1'
    is "$(ls "$tmp/log")" '' 'nothing is asked, executed or logged'
    chmod 755 "$tmp/bin/raised"
    setcap cap_net_raw+ep "$tmp/bin/raised" 2>/dev/null || {
        echo '# no file capabilities here'
        return
    }
    as_user 'file capabilities: as bare' "$tmp/bin/raised" 'who 2, constructed 1'
    is "$(ls "$tmp/log")" '' 'nothing is asked, executed or logged'
}

"behave_$behaviour"
finish
