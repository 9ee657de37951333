#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs and preloads of many forms that define functions of libc's names: none ends that ends well
# without the shim, and each has the libcuda that works. Without CUARBITER_SYSROOT, with
# which the shim looks for no driver, as well as with it.
# shellcheck source=tests/fixtures/private.sh
. "$(dirname "$0")/../fixtures/private.sh"
need_tool gcc

mkdir "$tmp/other" "$tmp/made"
cp "$build/tests/preload/libleaf.so" "$tmp/other/libcuarbiter.so"
known_machine "$tmp/machine"
native=$(echo "$tmp"/machine/usr/lib/*-linux-gnu)
compat=$tmp/machine/usr/local/cuda/compat
lib="-L$compat -l:libcuda.so.1"
names=$(grep -v '^#' "$tree/tests/preload/company-names")
cd "$tmp/made" || exit 99

make() { # OUT ARGUMENT...
    out=$1
    shift
    gcc -O1 -w -fno-builtin -fno-stack-protector -U_FORTIFY_SOURCE -o "$out" "$@" -ldl 2>err ||
        not_ok "$out is built" "$(cat err)"
}

hook() { # OUT NAME ARGUMENT...
    out=$1 name=$2
    shift 2
    make "$out" -fPIC -shared -DHOOKED="$name" "$@"
}

# What the program prints, or how it ends. An empty MACHINE: no CUARBITER_SYSROOT.
run() { # FOLDER-OF-PRELOAD MACHINE ORDER HOOK PROGRAM...
    machine=$2 list=$1/libcuarbiter.so
    case $3 in
    first) list=$list${4:+:$4} ;;
    *) list=${4:+$4:}$list ;;
    esac
    shift 4
    line=$(LD_PRELOAD=$list FAKE_ROOT=$tmp/machine CUARBITER_SYSROOT=$machine CUARBITER_TRIAL=never \
        LD_LIBRARY_PATH=$compat:$native "$@" 2>/dev/null 9>/dev/null) || line="status $?"
    echo "$line" | head -n 3
}

# WANTED NAME HOOK PROGRAM...: what is wanted where the machine has a driver; where it has none, and
# without one of the test's own, what bare does. In both orders.
try() {
    wanted=$1 what=$2 hook=$3
    shift 3
    for order in first last; do
        for machine in '' "$tmp/machine"; do
            bare=$(run "$tmp/other" "$machine" $order "$hook" "$@")
            case $bare in
            status*)
                ok "$what, $order # SKIP bare: $bare"
                continue
                ;;
            esac
            expect=$bare
            [ -z "$machine" ] || [ "$wanted" = bare ] || expect=$wanted
            is "$(run "$tmp/home" "$machine" $order "$hook" "$@")" "$expect" \
                "$what, $order${machine:+, a driver}"
        done
    done
}

cat >linked.c <<'END'
#include <stdio.h>
int cuInit(unsigned flags);
int main(void)
{
    printf("cuInit %d\n", cuInit(0));
    return 0;
}
END
cat >library.c <<'END'
#include <dlfcn.h>
__attribute__((constructor)) static void begin(void)
{
    dlopen("libm.so.6", RTLD_NOW);
    dlopen("libcuda.so.1", RTLD_NOW);
}
void library(void) {}
END
cat >opener.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
void library(void);
int main(void)
{
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = handle ? dlsym(handle, "cuInit") : 0;

    library();
    printf("cuInit %d\n", init ? init(0) : -1);
    return 0;
}
END
make library.so -fPIC -shared library.c

# 1 and 11. The program's own function: its pointer set in a constructor of its own, or in main; or
# with another meaning.
cat >own.c <<'END'
#include <dlfcn.h>
#include <stdlib.h>
#define TEXT(name) #name
#define NAME(name) TEXT(name)
__attribute__((visibility("hidden"))) void *own_next;
__asm__(".text\n.globl " NAME(OWN) "\n.type " NAME(OWN) ", @function\n" NAME(OWN) ":\n"
#ifdef MEANS_OTHER
        "    ud2\n"
#else
        "    jmp *own_next(%rip)\n"
#endif
        ".size " NAME(OWN) ", . - " NAME(OWN) "\n");
#ifdef IN_CONSTRUCTOR
__attribute__((constructor))
#endif
void own_begin(void)
{
    own_next = dlsym(RTLD_NEXT, NAME(OWN));
}
END
sed 's/int main(void)/void own_begin(void);\nint main(void)/; s/    printf/    own_begin();\n    printf/' linked.c >linked-late.c
for name in openat read getenv pthread_setcancelstate dl_iterate_phdr __errno_location getauxval close strdup; do
    for kind in IN_CONSTRUCTOR IN_MAIN MEANS_OTHER; do
        source=linked.c
        [ $kind = IN_CONSTRUCTOR ] || source=linked-late.c
        make "own-$name-$kind" -rdynamic -DOWN=$name -D$kind own.c $source $lib
        wanted_here='cuInit 0'
        try "$wanted_here" "a linked program's own $name, $kind" '' "./own-$name-$kind"
        make "opens-$name-$kind" -rdynamic -DOWN=$name -D$kind own.c opener.c ./library.so
        try "$wanted_here" "a program's own $name, $kind, beside a constructor that opens" '' "./opens-$name-$kind"
    done
    make "odd-$name.so" -fPIC -shared -DOWN=$name -DMEANS_OTHER own.c
    for program in linked opener; do
        make "odd-$program" -Wl,--no-as-needed $program.c "./odd-$name.so" ./library.so $lib
        try "$wanted_here" "a needed library's own $name, $program" '' ./odd-$program
    done
done

# 2. Bound at once: every program, beside each hook, with and without DT_DEBUG.
make lone -shared -fPIC -nostartfiles -Wl,-e,start "$tree/tests/hosting/lone.c"
for name in $names; do
    hook "late-$name.so" "$name" -Dconstructors "$tree/tests/preload/company-hook.c"
    for order in first last; do
        bare=$(LD_BIND_NOW=1 run "$tmp/other" '' $order "$PWD/late-$name.so" /bin/true)
        is "$(LD_BIND_NOW=1 run "$tmp/home" '' $order "$PWD/late-$name.so" /bin/true)" "$bare" \
            "bound at once, beside $name, $order"
    done
done
for name in getauxval dl_iterate_phdr openat; do
    for order in first last; do
        is "$(LD_BIND_NOW=1 run "$tmp/home" '' $order "$PWD/late-$name.so" ./lone)" opened \
            "bound at once, without DT_DEBUG, beside $name, $order"
    done
done

# 3. An IFUNC.
cat >ifunc.c <<'END'
#include <dlfcn.h>
static int (*next)(int, const char *, int, int);
static int mine(int folder, const char *path, int flags, int mode)
{
    return next(folder, path, flags, mode);
}
static void *choose(void)
{
    return mine;
}
int openat() __attribute__((ifunc("choose")));
__attribute__((constructor)) static void begin(void)
{
    next = dlsym(RTLD_NEXT, "openat");
}
END
make ifunc.so -fPIC -shared ifunc.c
make linked linked.c $lib
make opener opener.c ./library.so
try 'cuInit 0' 'a constructor opens, nothing beside it' '' ./opener
try 'cuInit 0' 'a hook that is an IFUNC, linked' "$PWD/ifunc.so" ./linked
try 'cuInit 0' 'a hook that is an IFUNC, a constructor opens' "$PWD/ifunc.so" ./opener

# The program's own one, whose resolver opens a library before any constructor has run.
cat >resolver.c <<'END'
#include <dlfcn.h>
static int one(void)
{
    return 1;
}
static void *choose(void)
{
    return dlopen("libm.so.6", RTLD_NOW) ? one : 0;
}
int chosen(void) __attribute__((ifunc("choose")));
void library(void)
{
    chosen();
}
END
for kind in lazy now; do
    make resolver-$kind -Wl,-z,$kind resolver.c opener.c
    try bare "a resolver that opens a library, $kind" '' ./resolver-$kind
done

# 4. Set up by DT_INIT alone, or by another library's constructor.
cat >init.c <<'END'
#include <dlfcn.h>
static int (*next)(int, const char *, int, int);
int openat(int folder, const char *path, int flags, int mode)
{
    return next(folder, path, flags, mode);
}
void hook_init(void)
{
    next = dlsym(RTLD_NEXT, "openat");
}
END
make init.so -fPIC -shared -Wl,-init,hook_init init.c
make init-alone.so -fPIC -shared -nostartfiles -Wl,-init,hook_init init.c
make not-set.so -fPIC -shared init.c
echo 'void hook_init(void); __attribute__((constructor)) static void begin(void) { hook_init(); }' >sets.c
make sets.so -fPIC -shared sets.c
for kind in init init-alone; do
    try 'cuInit 0' "a hook with DT_INIT ($kind), linked" "$PWD/$kind.so" ./linked
    try 'cuInit 0' "a hook with DT_INIT ($kind), a constructor opens" "$PWD/$kind.so" ./opener
done
try 'cuInit 0' 'a hook that another library sets up, linked' "$PWD/sets.so:$PWD/not-set.so" ./linked
try 'cuInit 0' 'a hook that another library sets up, a constructor opens' "$PWD/sets.so:$PWD/not-set.so" ./opener

# 5. A _start of the program's own.
cat >start.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((used)) void begin(void)
{
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = handle ? dlsym(handle, "cuInit") : 0;

    printf("cuInit %d\n", init ? init(0) : -1);
    exit(0);
}
__asm__(".globl _start\n_start:\n    xor %ebp, %ebp\n    and $-16, %rsp\n    call begin\n    hlt\n");
END
make start -nostartfiles start.c
make start-library -nostartfiles -Wl,--no-as-needed start.c ./library.so
for name in openat read __errno_location; do
    try 'cuInit 0' "an own _start, beside $name" "$PWD/late-$name.so" ./start
    try 'cuInit 0' "an own _start and a constructor that opens, beside $name" "$PWD/late-$name.so" ./start-library
done
try 'cuInit 0' 'an own _start alone' '' ./start

# 6. Allocators.
cat >allocator.c <<'END'
#include <stddef.h>
void *mallocx(size_t size, int flags) { return NULL; }
END
hook allocator.so openat -Dconstructors allocator.c "$tree/tests/preload/company-hook.c"
try 'cuInit 0' 'an allocator with an openat, linked' "$PWD/allocator.so" ./linked
try 'cuInit 0' 'an allocator with an openat, a constructor opens' "$PWD/allocator.so" ./opener
# mimalloc from 3 on brings strdup along.
cat >copies.c <<'END'
#include <stdlib.h>
#include <string.h>
char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}
END
make copies.so -fPIC -shared copies.c
make mimalloc.so -fPIC -shared copies.c -Dmallocx=mi_malloc allocator.c
try 'cuInit 0' "an allocator with its strdup, a constructor opens" "$PWD/mimalloc.so" ./opener
try 'cuInit 0' "another strdup, a constructor opens" "$PWD/copies.so" ./opener
for library in libjemalloc.so.2 libtcmalloc.so.4 libtcmalloc_minimal.so.4 'libmimalloc.so.[23]' \
    faketime/libfaketime.so.1; do
    path=$(echo /usr/lib/*-linux-gnu/$library)
    path=${path%% *}
    if [ -e "$path" ]; then
        try 'cuInit 0' "${path##*/}, linked" "$path" ./linked
        try 'cuInit 0' "${path##*/}, a constructor opens" "$path" ./opener
    else
        missing "$library" "no $library here"
    fi
done
finish
