/* SPDX-License-Identifier: Apache-2.0 */
/* Says all that a caller of dlopen can see of one call. */
#ifndef BEHAVIOUR_H
#define BEHAVIOUR_H

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *tell(const char *call, const char *name, void *handle, int error)
{
    const char *message = dlerror();

    printf("%s(%s): %s, errno %d, dlerror %s\n", call, name ? name : "NULL",
           handle ? "opened" : "failed", error, message ? message : "none");
    if (dlerror())
        printf("dlerror speaks twice\n");
    return handle;
}

static inline void *open_and_tell(const char *name, int flags)
{
    void *handle;

    errno = 4711;
    handle = dlopen(name, flags);
    return tell("dlopen", name, handle, errno);
}

/* The files of a test lie in one folder, which is the program's first argument. */
static inline char *in_folder(char **argv, const char *name)
{
    char *path = NULL;

    if (!argv[1] || asprintf(&path, "%s/%s", argv[1], name) < 0)
        exit(99);
    return path;
}

static inline int call(void *handle, const char *function)
{
    int (*address)(void) = handle ? (int (*)(void))dlsym(handle, function) : NULL;

    return address ? address() : -1;
}

#endif
