/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack-use SIZE NAME: how many bytes of its stack, SIZE bytes large or "least", a thread has
 * needed to open NAME. Below the stack lies nothing.
 */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GUARD (64 * 1024)
#define FILL  0x5a

static void *opens(void *name)
{
    return dlopen(name, RTLD_NOW);
}

int main(int argc, char **argv)
{
    size_t size = argc == 3 ? strtoul(argv[1], NULL, 10) : 0, used;
    unsigned char *memory, *stack;
    pthread_attr_t attr;
    pthread_t thread;
    void *handle;

    if (!size)
        size = (size_t)PTHREAD_STACK_MIN;
    memory = mmap(NULL, GUARD + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (argc != 3 || memory == MAP_FAILED || mprotect(memory, GUARD, PROT_NONE) != 0)
        return 99;
    stack = memory + GUARD;
    memset(stack, FILL, size);
    if (pthread_attr_init(&attr) != 0 || pthread_attr_setstack(&attr, stack, size) != 0 ||
        pthread_create(&thread, &attr, opens, argv[2]) != 0 || pthread_join(thread, &handle) != 0)
        return 99;
    for (used = size; used && stack[size - used] == FILL;)
        used--;
    printf("%zu %s\n", used, handle ? "opened" : "not opened");
    return 0;
}
