/* SPDX-License-Identifier: Apache-2.0 */
/* Its constructor sets what CHOOSE says, NAME=VALUE, as job launchers' libraries choose GPUs. With
 * HOOK it also comes before a function of libc's that cuarbiter calls. */
#include "floor.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef HOOK
static ssize_t (*real_read)(int, void *, size_t);

__attribute__((visibility("default"))) ssize_t read(int fd, void *to, size_t size)
{
    return real_read(fd, to, size);
}
#else
int chooser(void);

int chooser(void)
{
    return 0;
}
#endif

__attribute__((constructor)) static void choose(void)
{
    char *chosen = getenv("CHOOSE");

#ifdef HOOK
    *(void **)&real_read = dlsym(RTLD_NEXT, "read");
    chosen = getenv("CHOOSE_BY_HOOK");
#endif
    if (chosen)
        putenv(chosen);
}
