/* SPDX-License-Identifier: Apache-2.0 */
/*
 * left plain|small N NAME: at the Nth call that the engine makes of one of left-hooks.c's functions
 * a signal comes, and its handler leaves by siglongjmp, as programs with a time limit do. Then the
 * same thread opens the library again, and another thread does; says what they got, and whether
 * there were so many calls. small: in threads with small stacks.
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
static volatile int left_to_go;
static pid_t here;

static void leave(int number)
{
    siglongjmp(back, number);
}

__attribute__((weak)) void at_each_call(void (*function)(void)); /* left-hooks.c, preloaded */

static void strike(void)
{
    if (left_to_go && getpid() == here && !--left_to_go)
        raise(SIGTERM);
}

static const char *opens(const char *name)
{
    void *handle = dlopen(name, RTLD_NOW);
    struct link_map *map;

    if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map))
        return "nothing";
    return map->l_name;
}

static int points;

static void *interrupted(void *name)
{
    left_to_go = points;
    if (!sigsetjmp(back, 1))
        opens(name);
    printf("%s ", left_to_go ? "not so many" : "left");
    left_to_go = 0;
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

    if (argc != 4)
        return 2;
    points = atoi(argv[2]);
    here = getpid();
    at_each_call(strike);
    signal(SIGTERM, leave);
    pthread_attr_init(&attributes);
    if (!strcmp(argv[1], "small"))
        pthread_attr_setstacksize(&attributes, 40 * 1024);
    for (i = 0; i < 2; i++)
        if (pthread_create(&thread, &attributes, threads[i], argv[3]) || pthread_join(thread, NULL))
            return 99;
    return 0;
}
