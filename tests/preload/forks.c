/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forks FOLDER LIBRARIES FORKS: a thread opens libraries that are loaded, without a pause, while
 * children are made that open one more each. Prints how many of these had to be killed.
 * forks FOLDER handler: nothing is opened before fork's own handlers open something.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "behaviour.h"

static const char *folder;
static int libraries;
static atomic_bool done;

static void *open_number(int number)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%d.so", folder, number);
    return dlopen(path, RTLD_NOW);
}

static void *open_on(void *unused)
{
    void *handle;
    int i;

    for (i = 0; !atomic_load(&done); i++) {
        handle = open_number(i % libraries);
        if (handle)
            dlclose(handle);
    }
    return unused;
}

static void in_handler(void)
{
    open_number(0);
}

/* True if it had to be killed. */
static bool hangs(void)
{
    const struct timespec moment = {0, 1000000};
    pid_t child = fork();
    int i;

    if (!child) {
        open_number(libraries);
        _exit(0);
    }
    for (i = 0; i < 2000; i++) {
        if (waitpid(child, NULL, WNOHANG))
            return false;
        nanosleep(&moment, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return true;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int forks, i, hung = 0;

    if (argc < 3)
        return 99;
    folder = argv[1];
    if (argc == 3) {
        pthread_atfork(in_handler, in_handler, in_handler);
        printf("hung %d\n", hangs());
        return 0;
    }
    libraries = atoi(argv[2]);
    forks = atoi(argv[3]);
    for (i = 0; i < libraries; i++)
        if (!open_number(i))
            return 98;
    if (pthread_create(&thread, NULL, open_on, NULL))
        return 97;
    for (i = 0; i < forks; i++)
        hung += hangs();
    atomic_store(&done, true);
    pthread_join(thread, NULL);
    printf("hung %d\n", hung);
    return 0;
}
