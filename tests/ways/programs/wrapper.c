/* SPDX-License-Identifier: Apache-2.0 */
/* A library that meters: its cuInit says so, and calls the next one. */
#include <dlfcn.h>
#include <unistd.h>

int cuInit(unsigned flags);

int cuInit(unsigned flags)
{
    int (*next)(unsigned) = (int (*)(unsigned))dlsym(RTLD_NEXT, "cuInit");

    return write(1, "metered ", 8) == 8 && next ? next(flags) : 999;
}
