/* SPDX-License-Identifier: Apache-2.0 */
/* A dlopen hook behind the shim that asks for libcuda itself when something is opened first: then
 * the shim is in the middle of a request. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

void *dlopen(const char *name, int flags)
{
    static void *(*next)(const char *, int);
    static bool asked;

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    if (!asked) {
        asked = true;
        /* By the global name, that is, through the shim. */
        ((void *(*)(const char *, int))dlsym(RTLD_DEFAULT, "dlopen"))("libcuda.so.1", RTLD_LAZY);
    }
    return next(name, flags);
}
