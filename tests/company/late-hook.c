/* SPDX-License-Identifier: Apache-2.0 */
/* A preload whose pointer to the real function is set by its constructor, as many have it; it
 * edits the environment at the first call where EDIT is set. */
#include "../fixtures/programs/floor.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static int (*real_openat)(int, const char *, int, mode_t);
static ssize_t (*real_read)(int, void *, size_t);

#ifdef EDIT
static void edit(void)
{
    static int done;

    if (!done++) {
        setenv("HOOK_WAS_HERE", "1", 1);
        unsetenv("HOOK_TAKES");
    }
}
#endif

/* The lazy kind looks for the real one itself where its constructor has not run. */
static void first(void *pointer, const char *name)
{
#ifdef EDIT
    edit();
    if (!*(void **)pointer)
        *(void **)pointer = dlsym(RTLD_NEXT, name);
#else
    (void)pointer, (void)name;
#endif
}

__attribute__((constructor)) static void find(void)
{
    *(void **)&real_openat = dlsym(RTLD_NEXT, "openat");
    *(void **)&real_read = dlsym(RTLD_NEXT, "read");
}

__attribute__((visibility("default"))) int openat(int folder, const char *path, int flags,
                                                  mode_t mode)
{
    first(&real_openat, "openat");
    return real_openat(folder, path, flags, mode);
}

__attribute__((visibility("default"))) ssize_t read(int fd, void *to, size_t size)
{
    first(&real_read, "read");
    return real_read(fd, to, size);
}
