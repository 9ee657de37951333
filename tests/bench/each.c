/* SPDX-License-Identifier: Apache-2.0 */
/* each FORMAT COUNT [close | LIBRARY | after LIBRARY]: opens COUNT libraries, whose names FORMAT
 * makes from 0 on, and closes them again, or opens LIBRARY after them, or before; prints the ns of
 * CPU that all but the first took.
 */
#include "clock.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* At the start of a page, as in again.c. */
static char name[4096] __attribute__((aligned(4096)));

static int open_one(const char *format, long number, bool closes)
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
    bool closes = argc > 3 && !strcmp(argv[3], "close"), late = argc > 4;
    long i, count;

    if (argc < 3)
        return 2;
    count = atol(argv[2]);
    if (late && !dlopen(argv[4], RTLD_LAZY))
        return 1;
    if (!open_one(argv[1], 0, closes))
        return 1;
    start = cua_now();
    for (i = 1; i < count; i++)
        if (!open_one(argv[1], i, closes))
            return 1;
    if (argc == 4 && !closes && !dlopen(argv[3], RTLD_LAZY))
        return 1;
    printf("%lld\n", cua_now().cpu - start.cpu);
    return 0;
}
