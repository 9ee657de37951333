/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eight threads make the first call at once, while a ninth forks. The children call no dlopen: with
 * another thread in the middle of one, glibc itself blocks or gives up in a child now and then.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "behaviour.h"

#define THREADS 8

static pthread_barrier_t barrier;
static char *names[3];

static void *storm(void *arg)
{
    size_t i, opened = 0;

    (void)arg;
    pthread_barrier_wait(&barrier);
    for (i = 0; i < 300; i++) {
        opened += dlopen(names[i % 2], RTLD_NOW) != NULL;
        opened += dlopen("libcuda-none.so.1", RTLD_NOW) != NULL;
        opened += dlopen(names[2], RTLD_NOW | RTLD_NOLOAD) != NULL;
    }
    return (void *)opened;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int i, status, bad = 0;
    void *opened;
    pid_t child;

    (void)argc;
    names[0] = in_folder(argv, "libleaf.so");
    names[1] = in_folder(argv, "libplugin.so");
    names[2] = in_folder(argv, "libdefiner1.so");
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, storm, NULL);
    pthread_barrier_wait(&barrier);
    for (i = 0; i < 10; i++) {
        child = fork();
        if (!child)
            _exit(0);
        bad += waitpid(child, &status, 0) != child || status;
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &opened);
        printf("%zu\n", (size_t)opened);
    }
    printf("children that failed: %d\n", bad);
    return 0;
}
