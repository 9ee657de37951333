/* SPDX-License-Identifier: Apache-2.0 */
/*
 * left plain|small NAME: a SIGTERM that comes while a thread opens NAME leaves that by siglongjmp,
 * as programs with a time limit do. Then the same thread opens the library again, and another
 * thread does; says whether it was left ("not left" if no signal came), and what they got. small:
 * in threads with small stacks.
 */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf back;
static __thread volatile sig_atomic_t armed; /* the other threads stay */

static void leave(int number)
{
    if (!armed)
        return;
    armed = 0;
    siglongjmp(back, number);
}

static const char *opens(const char *name)
{
    void *handle = dlopen(name, RTLD_NOW);
    struct link_map *map;

    if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map))
        return "nothing";
    return map->l_name;
}

static void *interrupted(void *name)
{
    if (!sigsetjmp(back, 1)) {
        armed = 1;
        opens(name);
    }
    printf("%s ", armed ? "not left" : "left");
    armed = 0;
    printf("%s ", opens(name));
    return NULL;
}

static void *other(void *name)
{
    printf("%s\n", opens(name));
    return NULL;
}

int main(int argc, char **argv)
{
    void *(*const threads[])(void *) = {interrupted, other};
    pthread_attr_t attributes;
    pthread_t thread;
    size_t i;

    if (argc != 3)
        return 2;
    signal(SIGTERM, leave);
    pthread_attr_init(&attributes);
    if (!strcmp(argv[1], "small"))
        pthread_attr_setstacksize(&attributes, 40 * 1024);
    for (i = 0; i < 2; i++)
        if (pthread_create(&thread, &attributes, threads[i], argv[2]) || pthread_join(thread, NULL))
            return 99;
    return 0;
}
