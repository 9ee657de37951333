/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forks WAY mapped|new CHILDREN LIBRARY...: forks beside a thread that is busy with the list of
 * what is mapped; the children open the libraries, which the program has opened before or not. WAY:
 * reads (dl_iterate_phdr, as profilers and unwinders do), opens (the first library, again and
 * again), closes (it each time, too). Prints how many children have not ended after five seconds,
 * and which libcuda the others got.
 */
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asker.h"

#define MOST 200

static volatile bool stop;
static char **libraries;

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)info;
    (void)size;
    (void)data;
    return 0;
}

static void *reads(void *arg)
{
    (void)arg;
    while (!stop)
        dl_iterate_phdr(look, NULL);
    return NULL;
}

static void *opens_again(void *arg)
{
    (void)arg;
    while (!stop)
        dlopen(*libraries, RTLD_NOW);
    return NULL;
}

static void *opens_and_closes(void *arg)
{
    (void)arg;
    while (!stop) {
        void *handle = dlopen(*libraries, RTLD_NOW);
        if (handle)
            dlclose(handle);
    }
    return NULL;
}

/* Which libcuda is among them. */
static int open_all(void)
{
    int got = 0;

    for (char **library = libraries; *library; library++)
        if (!strcmp(*library, "libcuda.so.1"))
            got = opens();
        else
            dlopen(*library, RTLD_NOW);
    return got;
}

int main(int argc, char **argv)
{
    static pid_t children[MOST];
    int many = argc > 4 ? atoi(argv[3]) : 0, hung = 0, got[3] = {0}, status;
    void *(*run)(void *) = argc < 5                     ? NULL
                           : !strcmp(argv[1], "reads")  ? reads
                           : !strcmp(argv[1], "opens")  ? opens_again
                           : !strcmp(argv[1], "closes") ? opens_and_closes
                                                        : NULL;
    pthread_t thread;

    if (!run || many < 1 || many > MOST)
        return 99;
    libraries = argv + 4;
    if (!strcmp(argv[2], "mapped"))
        open_all();
    if (pthread_create(&thread, NULL, run, NULL) != 0)
        return 99;
    pause_for(100);
    for (int i = 0; i < many; i++) {
        children[i] = fork();
        if (!children[i]) {
            alarm(5);
            _exit(open_all());
        }
        pause_for(5);
    }
    stop = true;
    pthread_join(thread, NULL);
    for (int i = 0; i < many; i++) {
        waitpid(children[i], &status, 0);
        if (WIFSIGNALED(status))
            hung++;
        else if (WEXITSTATUS(status) < 3)
            got[WEXITSTATUS(status)]++;
    }
    printf("%d hung, %d right, %d other\n", hung, got[1], got[2]);
    return 0;
}
