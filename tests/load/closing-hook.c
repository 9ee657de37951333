/* SPDX-License-Identifier: Apache-2.0 */
/* A dlopen hook behind the shim that closes what was opened before, just before ld.so opens the
 * next: as another thread does at the worst moment. */
#include <dlfcn.h>
#include <string.h>

void *dlopen(const char *name, int flags)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    static void *before;

    if (!name || !strstr(name, ".so") || !(flags & RTLD_NOW)) /* the shim opens lazily */
        return next(name, flags);
    if (before)
        dlclose(before);
    return before = next(name, flags);
}
