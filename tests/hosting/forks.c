/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forks NAME: a thread opens and closes the mapped library NAME without end, while others are
 * forked, each of which opens it too. No lock of ld.so's may be held by a thread that the child
 * does not have.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 500

static void *opens(void *name)
{
    for (;;)
        dlclose(dlopen(name, RTLD_NOW));
    return NULL;
}

static int child_opens(const char *name)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        alarm(10);
        _exit(!dlopen(name, RTLD_NOW));
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int opened = 0;

    if (argc != 2 || !dlopen(argv[1], RTLD_NOW) ||
        pthread_create(&thread, NULL, opens, argv[1]) != 0)
        return 99;
    while (opened < CHILDREN && child_opens(argv[1]))
        opened++;
    printf("%d of %d children opened it\n", opened, CHILDREN);
    return 0;
}
