/* SPDX-License-Identifier: Apache-2.0 */
/* A hook of open and openat that opens a library of its own, named by HOOK, at its first call. */
#undef _FILE_OFFSET_BITS /* open64 has a name of its own */
#undef _FORTIFY_SOURCE   /* and no definition in a header */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_it(int folder, const char *path, int flags, int mode)
{
    static void *own;

    if (!own)
        own = dlopen(getenv("HOOK"), RTLD_NOW);
    return own ? (int)syscall(SYS_openat, folder, path, flags, mode) : -1;
}

#define HOOK(name, parameters, folder)                                                             \
    int name parameters;                                                                           \
    int name parameters                                                                            \
    {                                                                                              \
        va_list rest;                                                                              \
        int mode;                                                                                  \
                                                                                                   \
        va_start(rest, flags);                                                                     \
        mode = va_arg(rest, int);                                                                  \
        va_end(rest);                                                                              \
        return open_it(folder, path, flags, mode);                                                 \
    }
HOOK(openat, (int folder, const char *path, int flags, ...), folder)
HOOK(openat64, (int folder, const char *path, int flags, ...), folder)
HOOK(open, (const char *path, int flags, ...), AT_FDCWD)
HOOK(open64, (const char *path, int flags, ...), AT_FDCWD)
