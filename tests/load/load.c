/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load threads SECONDS FILE...: 56 threads open the files, initialise what has a cuInit, and close
 * them, while 8 others start processes. Done twice; prints what the second time has left behind.
 * load processes COUNT ROUNDS PROGRAM...: that many at once, so many times.
 * load one-by-one COUNT PROGRAM...: one after the other, in each %N stands for its number.
 * load turns FILE...: opens each in turn, each from a call of its own, and prints what its cuInit
 * answers.
 * The two before it print how many of the programs printed what, and how long the slowest round
 * took.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../fixtures/must.h"

#define OPENERS  56
#define STARTERS 8
#define WORDS    8

extern char **environ;

static char **files;
static int count;
static long long until;
static _Atomic long opened, refused, failed, started, lost;

static void *open_and_close(void *arg)
{
    for (unsigned i = (unsigned)(size_t)arg; now_ms() < until; i++) {
        void *handle = dlopen(files[i % (unsigned)count], RTLD_NOW);
        int (*init)(unsigned);

        if (!handle) {
            refused++;
            continue;
        }
        *(void **)&init = dlsym(handle, "cuInit");
        if (init && init(0) != 0)
            failed++;
        opened++;
        dlclose(handle);
        /* Every other second there is time for a library to be unloaded. */
        if (now_ms() / 1000 % 2)
            usleep(10000 + i % 7 * 1000);
    }
    return NULL;
}

/* Children call no dlopen: another thread may be in the middle of one, and they have its lock. */
static void *start_processes(void *arg)
{
    char file[] = "/bin/true", *argv[] = {file, NULL};

    for (unsigned i = (unsigned)(size_t)arg; now_ms() < until; i++) {
        int status = -1;
        pid_t pid = -1;

        if (i % 2) {
            MUST(posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) == 0);
        } else if ((pid = fork()) == 0) {
            if (i % 4)
                execv(argv[0], argv);
            _exit(0);
        }
        MUST(pid > 0 && waitpid(pid, &status, 0) == pid);
        lost += status != 0;
        started++;
    }
    return NULL;
}

static int descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    MUST(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static size_t in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

static int count_unloaded(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(unsigned long long *)data = info->dlpi_subs;
    return 1;
}

static void run_threads(long ms)
{
    pthread_t thread[OPENERS + STARTERS];

    until = now_ms() + ms;
    for (size_t i = 0; i < OPENERS + STARTERS; i++)
        MUST(pthread_create(&thread[i], NULL, i < OPENERS ? open_and_close : start_processes,
                            (void *)i) == 0);
    for (size_t i = 0; i < OPENERS + STARTERS; i++)
        pthread_join(thread[i], NULL);
}

/* The shim counts on another thread's unloading libcuda once it has seen the program do so: when
 * a library is opened while libcuda is loaded, and another while it is not. */
static void unload_first(void)
{
    void *libcuda = dlopen(files[0], RTLD_NOW), *other = dlopen("libz.so.1", RTLD_NOW);

    MUST(libcuda && other && dlclose(other) == 0 && dlclose(libcuda) == 0);
    other = dlopen("libz.so.1", RTLD_NOW);
    MUST(other && dlclose(other) == 0);
}

static int threads(long seconds)
{
    unload_first();
    run_threads(seconds * 500);
    unsigned long long unloaded = 0;
    size_t memory = in_use();
    int before = descriptors();
    run_threads(seconds * 500);
    dl_iterate_phdr(count_unloaded, &unloaded);
    printf("%ld opened, %ld refused, %ld failed; unloaded %llu; %ld started, %ld lost\n", opened,
           refused, failed, unloaded, started, lost);
    printf("descriptors %+d, bytes %+ld\n", descriptors() - before, (long)in_use() - (long)memory);
    return 0;
}

/* ---- processes ------------------------------------------------------------------------------- */

static struct {
    char text[128];
    long times;
} seen[WORDS];

static void note(const char *line)
{
    for (int i = 0; i < WORDS; i++)
        if (!seen[i].times || !strcmp(seen[i].text, line)) {
            snprintf(seen[i].text, sizeof(seen[i].text), "%s", line);
            seen[i].times++;
            return;
        }
}

static pid_t start(char **program, long number, int out)
{
    char text[16][512], *argv[17] = {NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;

    for (int i = 0; program[i]; i++) {
        char *mark = strstr(program[i], "%N");
        MUST(i < 16);
        if (mark)
            snprintf(text[i], sizeof(text[i]), "%.*s%ld%s", (int)(mark - program[i]), program[i],
                     number, mark + 2);
        argv[i] = mark ? text[i] : program[i];
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    MUST(posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static void wait_for(long number)
{
    int status;

    for (long i = 0; i < number; i++) {
        MUST(waitpid(-1, &status, 0) > 0);
        if (status)
            note(WIFSIGNALED(status) ? "ended by a signal" : "another exit code");
    }
}

static int processes(long number, long rounds, char **program)
{
    long long slowest = 0;
    char line[256];

    for (long round = 0; round < rounds; round++) {
        long long before = now_ms();
        int out[2];
        MUST(pipe2(out, O_CLOEXEC) == 0);
        for (long i = 0; i < number; i++)
            start(program, round, out[1]);
        close(out[1]);
        FILE *lines = fdopen(out[0], "r");
        while (fgets(line, sizeof(line), lines)) {
            line[strcspn(line, "\n")] = 0;
            note(line);
        }
        fclose(lines);
        wait_for(number);
        if (now_ms() - before > slowest)
            slowest = now_ms() - before;
    }
    for (int i = 0; i < WORDS && seen[i].times; i++)
        printf("%ld times %s\n", seen[i].times, seen[i].text);
    fprintf(stderr, "the slowest round took %lld ms\n", slowest);
    return 0;
}

/* ---- turns ----------------------------------------------------------------------------------- */

static void say(void *handle)
{
    int (*init)(unsigned) = handle ? (int (*)(unsigned))dlsym(handle, "cuInit") : NULL;

    printf("%d ", init ? init(0) : -1);
}

static int turns(char **file)
{
    /* Two calls, since an answer may hold for one call only. */
    for (; *file; file += file[1] ? 2 : 1) {
        say(dlopen(file[0], RTLD_NOW));
        if (file[1])
            say(dlopen(file[1], RTLD_NOW));
    }
    puts("");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "turns"))
        return turns(argv + 2);
    if (argc > 3 && !strcmp(argv[1], "threads")) {
        files = argv + 3;
        count = argc - 3;
        return threads(atol(argv[2]));
    }
    if (argc > 4 && !strcmp(argv[1], "processes"))
        return processes(atol(argv[2]), atol(argv[3]), argv + 4);
    if (argc > 3 && !strcmp(argv[1], "one-by-one"))
        return processes(1, atol(argv[2]), argv + 3);
    return 2;
}
