/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the engine calls, in a library before libc: each calls the program's first. */
#include <dlfcn.h>
#include <sys/types.h>

void at_each_call(void (*function)(void));

static void (*strike)(void);

void at_each_call(void (*function)(void))
{
    strike = function;
}

#define HOOK(type, name, types, names)                                                             \
    type name types;                                                                               \
    type name types                                                                                \
    {                                                                                              \
        static type(*next) types;                                                                  \
                                                                                                   \
        if (!next)                                                                                 \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                             \
        if (strike)                                                                                \
            strike();                                                                              \
        return next names;                                                                         \
    }

HOOK(int, open64, (const char *path, int flags, mode_t mode), (path, flags, mode))
HOOK(int, openat64, (int fd, const char *path, int flags, mode_t mode), (fd, path, flags, mode))
HOOK(int, close, (int fd), (fd))
HOOK(ssize_t, read, (int fd, void *bytes, size_t size), (fd, bytes, size))
HOOK(ssize_t, pread64, (int fd, void *bytes, size_t size, off_t at), (fd, bytes, size, at))
HOOK(int, access, (const char *path, int mode), (path, mode))
HOOK(int, flock, (int fd, int how), (fd, how))
