/* SPDX-License-Identifier: Apache-2.0 */
/* A thread with a small stack opens a library. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define STACK (40 * 1024)

static void *opens(void *name)
{
    return dlopen(name, RTLD_NOW);
}

int main(int argc, char **argv)
{
    pthread_attr_t small;
    pthread_t thread;
    void *handle;

    if (argc != 2 || pthread_attr_init(&small) != 0 ||
        pthread_attr_setstacksize(&small, STACK) != 0 ||
        pthread_create(&thread, &small, opens, argv[1]) != 0 || pthread_join(thread, &handle) != 0)
        return 99;
    puts(handle ? "opened" : "not opened");
    return 0;
}
