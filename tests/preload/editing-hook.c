/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A malloc that edits the environment when it is first called, as Debian's heaptrack does: takes
 * LD_PRELOAD out of it, and, if HOOK_PUTS is set, puts something in at the front. With -DEARLY it
 * does so in a constructor that runs before all others.
 */
#include <stddef.h>
#include <string.h>

extern char **environ;
void *__libc_malloc(size_t size);

static void edit(char **env)
{
    static char added[] = "ADDED=1";
    char **from, **to = env;
    int puts = 0;

    for (from = env; *from; from++) {
        puts |= !strncmp(*from, "HOOK_PUTS=", 10);
        if (strncmp(*from, "LD_PRELOAD=", 11))
            *to++ = *from;
    }
    if (puts && to != from) {
        memmove(env + 1, env, (size_t)(to - env) * sizeof(*env));
        *env = added;
        to++;
    }
    while (to != from)
        *to++ = NULL;
}

#ifdef EARLY
__attribute__((constructor)) static void early(int argc, char **argv, char **env)
{
    (void)argc;
    (void)argv;
    edit(env);
}
#else
void *malloc(size_t size);

void *malloc(size_t size)
{
    static int edited;

    if (!edited && environ) {
        edited = 1;
        edit(environ);
    }
    return __libc_malloc(size);
}
#endif
