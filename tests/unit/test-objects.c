/* SPDX-License-Identifier: Apache-2.0 */
/* The shim's look at ld.so's list: what comes behind the last object that stays may be freed. */
#include <unistd.h>

#include "unit.h"
#include "objects.h"
#include "syscalls.h"

struct cua_state cua_state;

long cua_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    return syscall(number, a, b, c, d, e, f);
}

/* As on glibc before 2.34 without libdl: no object that stays has a dlopen. */
static void looks_no_further_than_what_stays(void **state)
{
    static ElfW(Dyn) nothing[1];
    static char name[1];
    static struct link_map only = {.l_name = name, .l_ld = nothing};
    void *(*next)(const char *, int);

    (void)state;
    only.l_next = (struct link_map *)sysconf(_SC_PAGESIZE); /* nothing is mapped there */
    CUA_SET(objects, &only);
    CUA_SET(last, &only);
    CUA_SET(libc, &only);
    next = (void *(*)(const char *, int))CUA_NEXT(dlopen);
    assert_null(next("libm.so.6", 1));
    assert_null(cua_object_at((void *)UINTPTR_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_no_further_than_what_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
