/* SPDX-License-Identifier: Apache-2.0 */
/* each FORMAT COUNT [close]: opens COUNT libraries, whose names FORMAT makes from 0 on, and closes
 * them again; prints the ns of CPU that all but the first took. */
#include "clock.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* At the start of a page, as in again.c. */
static char name[4096] __attribute__((aligned(4096)));

static int open_one(const char *format, long number, int closes)
{
    const char *at = strchr(format, '%');
    void *handle;

    if (!at)
        return 0;
    snprintf(name, sizeof(name), "%.*s%04ld%s", (int)(at - format), format, number, at + 1);
    handle = dlopen(name, RTLD_LAZY);
    if (!handle)
        fprintf(stderr, "each: %s\n", dlerror());
    else if (closes)
        dlclose(handle);
    return !!handle;
}

int main(int argc, char **argv)
{
    struct cua_clock start;
    long i, count;

    if (argc < 3)
        return 2;
    count = atol(argv[2]);
    if (!open_one(argv[1], 0, argc > 3))
        return 1;
    start = cua_now();
    for (i = 1; i < count; i++)
        if (!open_one(argv[1], i, argc > 3))
            return 1;
    printf("%lld\n", cua_now().cpu - start.cpu);
    return 0;
}
