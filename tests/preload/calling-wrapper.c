/* SPDX-License-Identifier: Apache-2.0 */
/* What the shim must not be: it calls the next dlopen, and so becomes the caller. */
#include <dlfcn.h>

void *dlopen(const char *path, int flags)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    void *volatile handle = next(path, flags);

    return handle;
}
