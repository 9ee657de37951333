/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The usual way to get between a program and libcuda, rebuilt small: a dlsym of its own, which
 * finds the real one by its version and answers for the driver's functions itself.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#define VERSION "GLIBC_2.2.5"
#else
#define VERSION "GLIBC_2.17"
#endif

__attribute__((visibility("default"))) int cuInit(unsigned flags);
__attribute__((visibility("default"))) void *dlsym(void *restrict handle,
                                                   const char *restrict name);

static void *(*next)(void *, const char *);
static int (*init)(unsigned);

int cuInit(unsigned flags)
{
    return init ? init(flags) : 3;
}

void *dlsym(void *restrict handle, const char *restrict name)
{
    void *found;

    if (!next)
        *(void **)&next = dlvsym(RTLD_NEXT, "dlsym", VERSION);
    found = next(handle, name);
    if (strncmp(name, "cu", 2) || strcmp(name, "cuInit"))
        return found;
    *(void **)&init = found;
    return (void *)(size_t)cuInit;
}
