/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forks FOLDER LIBRARIES FORKS: a thread opens libraries that are loaded, without a pause, while
 * children are made that open one more each. Prints how many of these had to be killed.
 * forks FOLDER handler: nothing is opened before fork's own handlers open something.
 * forks FOLDER held: a fork while one thread holds ld.so's list and another one waits for it.
 */
#include <link.h>
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

static const struct timespec moment = {0, 1000000};
static atomic_bool held;
static atomic_int opener;

/* Until 4 ms after it is done. */
static int hold_on(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)object, (void)size, (void)unused;
    atomic_store(&held, true);
    while (!atomic_load(&done))
        nanosleep(&moment, NULL);
    for (int i = 0; i < 4; i++)
        nanosleep(&moment, NULL);
    return 1;
}

static void *hold(void *unused)
{
    dl_iterate_phdr(hold_on, NULL);
    return unused;
}

static void *open_once(void *unused)
{
    atomic_store(&opener, gettid());
    open_number(0);
    atomic_store(&opener, -1);
    return unused;
}

/* The opener waits, or has come to its end. */
static bool opener_sleeps(void)
{
    char path[64], text[64] = "";
    const int thread = atomic_load(&opener);
    FILE *file;

    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
    file = thread > 0 ? fopen(path, "re") : NULL;
    if (file && fgets(text, sizeof(text), file))
        fclose(file);
    return thread < 0 || strstr(text, ") S");
}

/* True if it had to be killed. */
static bool hangs(void)
{
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
    pthread_t thread, other;
    int forks, i, hung = 0;

    if (argc < 3)
        return 99;
    folder = argv[1];
    if (argc == 3 && strcmp(argv[2], "held") == 0) {
        libraries = 1;
        if (!open_number(0) || pthread_create(&thread, NULL, hold, NULL))
            return 97;
        while (!atomic_load(&held))
            ;
        if (pthread_create(&other, NULL, open_once, NULL))
            return 97;
        while (!opener_sleeps())
            ;
        atomic_store(&done, true);
        printf("hung %d\n", hangs());
        return 0;
    }
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
