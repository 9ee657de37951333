#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Linked programs of many makes get the right libcuda, alone and beside preloads whose pointers are set
# in a constructor, or when the program starts; those that bring libc's functions themselves (sanitizers, allocators) too.
# shellcheck source=tests/fixtures/private.sh
. "$(dirname "$0")/../fixtures/private.sh"
need_tool gcc g++

mkdir "$tmp/other" "$tmp/programs"
cp "$build/tests/preload/libleaf.so" "$tmp/other/libcuarbiter.so"
known_machine "$tmp/machine"
native=$(echo "$tmp"/machine/usr/lib/*-linux-gnu)
compat=$tmp/machine/usr/local/cuda/compat
cd "$tmp/programs" || exit 99
for hook in constructors:openat starts:read; do
    gcc -O1 -fPIC -shared -w -fno-builtin -DHOOKED=${hook#*:} -D${hook%:*} -o ${hook%:*}.so \
        "$tree/tests/preload/company-hook.c" || exit 99
done

cat >program.c <<'END'
#include <stdio.h>
int cuInit(unsigned flags);
int main(void)
{
    printf("cuInit %d\n", cuInit(0));
    return 0;
}
END
cat >threads.cc <<'END'
#include <cstdio>
#include <string>
#include <thread>
extern "C" int cuInit(unsigned flags);
static std::string text("made by a constructor");
static std::thread thread([] { text.c_str(); });
int main()
{
    thread.join();
    printf("cuInit %d\n", cuInit(0));
}
END
cat >program.rs <<'END'
extern "C" { fn cuInit(flags: u32) -> i32; }
fn main() { println!("cuInit {}", unsafe { cuInit(0) }); }
END
cat >program.go <<'END'
package main

// int cuInit(unsigned);
import "C"
import "fmt"

func main() { fmt.Println("cuInit", C.cuInit(0)) }
END
# Sets libc up by itself, and never calls __libc_start_main.
cat >start.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int cuInit(unsigned flags);
__attribute__((used)) void begin(void)
{
    printf("cuInit %d\n", cuInit(0));
    exit(0);
}
__asm__(".globl _start\n_start:\n    xor %ebp, %ebp\n    and $-16, %rsp\n    call begin\n    hlt\n");
END

run() { # FOLDER PRELOAD-BESIDE PROGRAM
    timeout 60 env LD_PRELOAD="$1/libcuarbiter.so${2:+:$2}" FAKE_ROOT="$tmp/machine" \
        CUARBITER_SYSROOT="$tmp/machine" CUARBITER_TRIAL=never LD_LIBRARY_PATH="$compat:$native" \
        ASAN_OPTIONS=verify_asan_link_order=0 "$3" 2>&1 9>/dev/null | head -n 3 | tr '\n' ';'
}

# NAME COMPILER ARGUMENT...: builds it, if the compiler is here, and runs
# it bare and shimmed.
try() {
    name=$1
    shift
    command -v "$1" >/dev/null || {
        missing "$name" "no $1 here"
        return
    }
    case $1 in
    go) shift 2 && go build -o "$name" "$@" ;;
    *) "$@" -o "$name" ;;
    esac >built 2>&1 || {
        missing "$name" "$1 cannot build it here: $(grep -m 1 'error\|cannot' built)"
        return
    }
    for other in '' "$tmp/programs/constructors.so" "$tmp/programs/starts.so"; do
        bare=$(run "$tmp/other" "$other" "./$name")
        case $bare in
        *'cuInit 804;') is "$(run "$tmp/home" "$other" "./$name")" "${bare%804;}0;" "$name${other:+, beside ${other##*/}}" ;;
        *) ok "$name${other:+, beside ${other##*/}} # SKIP bare: $bare" ;;
        esac
    done
}

lib="-L$compat -l:libcuda.so.1"
# shellcheck disable=SC2086
{
    try pie-lazy gcc -fPIE -pie -Wl,-z,lazy program.c $lib
    try pie-now gcc -fPIE -pie -Wl,-z,now program.c $lib
    try fixed-lazy gcc -no-pie -Wl,-z,lazy program.c $lib
    try fixed-now gcc -no-pie -Wl,-z,now program.c $lib
    try without-relro gcc -Wl,-z,norelro program.c $lib
    try old-hash gcc -Wl,--hash-style=sysv program.c $lib
    try threads g++ threads.cc $lib -pthread
    # Debian's are hundreds of MB: taken where they are.
    if command -v go >/dev/null; then
        export GO111MODULE=off GOCACHE="$tmp/go" CGO_ENABLED=1 CGO_LDFLAGS="$lib"
        try go go build -ldflags=-linkmode=external program.go
        try go-now go build -buildmode=pie '-ldflags=-linkmode=external -extldflags=-Wl,-z,now' program.go
    fi
    ! command -v rustc >/dev/null || try rust rustc program.rs -L "$compat" -C link-arg=-l:libcuda.so.1
    try own-start gcc -nostartfiles start.c $lib
    for kind in thread address undefined leak; do
        try gcc-$kind-shared gcc -fsanitize=$kind program.c $lib
    done
    for kind in thread address undefined leak; do
        library=$(echo $kind | sed 's/thread/t/; s/address/a/; s/undefined/ub/; s/leak/l/')san
        try gcc-$kind-static gcc -fsanitize=$kind -static-lib$library program.c $lib
    done
    for kind in thread address undefined; do
        try clang-$kind-static clang -fsanitize=$kind program.c $lib
    done
    try clang-memory-static clang -fsanitize=memory program.c $lib
    try clang-address-shared clang -fsanitize=address -shared-libsan \
        "-Wl,-rpath,$(clang -print-resource-dir 2>/dev/null)/lib/linux" program.c $lib
    for library in libjemalloc.so.2 libtcmalloc.so.4 libtcmalloc_minimal.so.4 'libmimalloc.so.[23]'; do
        library=$(echo /usr/lib/*-linux-gnu/$library)
        library=${library%% *} library=${library##*/}
        try ${library%%.*} gcc program.c $lib -Wl,--no-as-needed -l:$library
    done
}
# Debian's fakechroot, which edits the environment at its first call.
library=$(echo /usr/lib/*-linux-gnu/fakechroot/libfakechroot.so)
if [ -e "$library" ]; then
    is "$(run "$tmp/home" "$library" ./pie-now)" 'cuInit 0;' 'beside fakechroot'
    cp "$programs/init-linked" .
    for home in other home; do
        LD_PRELOAD=$tmp/$home/libcuarbiter.so:$tmp/programs/constructors.so:$library A=1 B=2 FAKE_ROOT=$tmp/machine \
            CUARBITER_SYSROOT=$tmp/machine CUARBITER_TRIAL=never LD_LIBRARY_PATH=$native:$compat \
            ./init-linked 9>"shown.$home" >/dev/null
    done
    is "$(sed "s,$tmp/home,$tmp/other," shown.home)" "$(cat shown.other)" 'beside fakechroot, what it was given'
else
    missing 'beside fakechroot' 'no libfakechroot here'
fi
# Debian's uid_wrapper, which opens a library at its first call, under a lock.
library=$(echo /usr/lib/*-linux-gnu/libuid_wrapper.so)
if [ -e "$library" ]; then
    is "$(run "$tmp/home" "$library" ./pie-now)" 'cuInit 0;' 'beside uid_wrapper, linked'
    is "$(run "$tmp/home" "$library" "$programs/init-dlopen" | cut -d ' ' -f 2)" 'cuInit=0' 'beside uid_wrapper, opened'
    is "$(run "$tmp/home" "$library" id)" "$(id);" 'beside uid_wrapper, without CUDA'
else
    missing 'beside uid_wrapper' 'no libuid_wrapper here'
fi
finish
