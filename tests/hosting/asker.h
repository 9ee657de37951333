/* SPDX-License-Identifier: Apache-2.0 */
/* For programs that open libcuda while something else goes on. */
#ifndef HOSTING_ASKER_H
#define HOSTING_ASKER_H

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <time.h>

/* 1: the right one, 2: the other, 0: none. */
static inline int opens(void)
{
    void *handle = dlopen("libcuda.so.1", RTLD_NOW), *symbol = handle ? dlsym(handle, "who") : NULL;
    int (*who)(void);

    memcpy(&who, &symbol, sizeof(who));
    return who ? who() : 0;
}

/* In milliseconds. */
static inline long now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static inline void pause_for(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};

    while (nanosleep(&time, &time) != 0 && errno == EINTR)
        ;
}

#endif
