/* SPDX-License-Identifier: Apache-2.0 */
/*
 * left plain|small N NAME: at the Nth call that the engine makes of one of these functions a signal
 * comes, and its handler leaves by siglongjmp, as programs with a time limit do. Then the same
 * thread opens the library again, and another thread does; says what they got, and whether there
 * were so many calls. small: in threads with small stacks.
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
#include <sys/types.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int left_to_go;
static pid_t here;

static void leave(int number)
{
    siglongjmp(back, number);
}

static void strike(void)
{
    if (left_to_go && getpid() == here && !--left_to_go)
        raise(SIGTERM);
}

#define HOOK(type, name, types, names)                                                             \
    type name types;                                                                               \
    type name types                                                                                \
    {                                                                                              \
        static type(*next) types;                                                                  \
                                                                                                   \
        if (!next)                                                                                 \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                             \
        strike();                                                                                  \
        return next names;                                                                         \
    }

HOOK(int, open64, (const char *path, int flags, mode_t mode), (path, flags, mode))
HOOK(int, openat64, (int fd, const char *path, int flags, mode_t mode), (fd, path, flags, mode))
HOOK(int, close, (int fd), (fd))
HOOK(ssize_t, read, (int fd, void *bytes, size_t size), (fd, bytes, size))
HOOK(ssize_t, pread64, (int fd, void *bytes, size_t size, off_t at), (fd, bytes, size, at))
HOOK(int, access, (const char *path, int mode), (path, mode))
HOOK(int, flock, (int fd, int how), (fd, how))

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
    signal(SIGTERM, leave);
    pthread_attr_init(&attributes);
    if (!strcmp(argv[1], "small"))
        pthread_attr_setstacksize(&attributes, 40 * 1024);
    for (i = 0; i < 2; i++)
        if (pthread_create(&thread, &attributes, threads[i], argv[3]) || pthread_join(thread, NULL))
            return 99;
    return 0;
}
