/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads ENGINE HOME ROUNDS UNLOADED NAME...: 8 threads ask the engine at once for each name, by
 * itself and as something that may bring libcuda in, on behalf of three callers. Two more threads
 * read the answers meanwhile; in every round one thread loads UNLOADED and unloads it. Prints each
 * answer that was given, once: no libcuda comes or goes, so a question has one.
 * threads race: makes a data race of its own.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuarbiter/contract.h"

#define ASKERS  8
#define READERS 2
#define NAMES   16
#define KINDS   5 /* answers to a question: their actions, and one place for a second path */

static const struct cua_engine *engine;
static const char *home, *unloaded;
static char **names;
static int count, rounds;
static pthread_barrier_t all;
static _Atomic bool finished;
static _Atomic long bytes_read;

/* By question, name and action. */
static const char *_Atomic given[2][NAMES][KINDS];

static const char *text_of(const struct cua_answer *answer)
{
    return answer->path ? answer->path : "-";
}

static void keep(int ask, int name, const struct cua_answer *answer)
{
    const char *none = NULL, *text = text_of(answer);
    const char *_Atomic *place = given[ask][name];

    if (!atomic_compare_exchange_strong(&place[answer->action], &none, text) &&
        strcmp(none, text) != 0)
        atomic_store(&place[KINDS - 1], text);
}

static void ask_for(int ask, int name, const void *caller)
{
    const struct cua_question question = {.ask = ask ? CUA_ASK_BROUGHT : CUA_ASK_NAMED,
                                          .flags = RTLD_NOW,
                                          .name = names[name],
                                          .caller = caller,
                                          .library_path = getenv("LD_LIBRARY_PATH"),
                                          .home = home,
                                          .iterate = dl_iterate_phdr};
    struct cua_answer answer;

    engine->ask(&question, &answer);
    keep(ask, name, &answer);
}

static void *asks(void *arg)
{
    const void *callers[] = {(const void *)(uintptr_t)asks, dlsym(RTLD_DEFAULT, "puts"), NULL};
    int self = (int)(intptr_t)arg;

    for (int round = 0; round < rounds; round++) {
        pthread_barrier_wait(&all);
        if (self == round % ASKERS) {
            void *handle = dlopen(unloaded, RTLD_NOW);
            if (!handle || dlclose(handle) != 0)
                fprintf(stderr, "threads: %s\n", dlerror());
        }
        /* Half of them begin with the same question, the others each with another. */
        for (int i = 0; i < 2 * count; i++) {
            int at = (self % 2 ? i + self : i) % (2 * count);
            ask_for(at / count, at % count, callers[(self + round) % 3]);
        }
    }
    return NULL;
}

static void *reads(void *arg)
{
    (void)arg;
    while (!atomic_load(&finished))
        for (int i = 0; i < 2 * NAMES * KINDS; i++) {
            const char *text = atomic_load(&given[0][0][0] + i);
            if (text)
                atomic_fetch_add(&bytes_read, (long)strlen(text));
        }
    return NULL;
}

static void *races(void *arg)
{
    ++*(volatile int *)arg;
    return NULL;
}

static int race(void)
{
    pthread_t thread[2];
    int number = 0;

    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, races, &number) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return number > 0 ? 0 : 1;
}

static void print(void)
{
    static const char *const actions[KINDS] = {"leave", "rename", "first", "exec", "other"};

    for (int ask = 0; ask < 2; ask++)
        for (int name = 0; name < count; name++)
            for (int i = 0; i < KINDS; i++)
                if (given[ask][name][i])
                    printf("%s %s: %s %s\n", ask ? "brought" : "named", names[name], actions[i],
                           given[ask][name][i]);
}

int main(int argc, char **argv)
{
    pthread_t thread[ASKERS + READERS];
    void *handle;

    if (argc == 2 && strcmp(argv[1], "race") == 0)
        return race();
    count = argc - 5;
    if (count < 1 || count > NAMES || (rounds = atoi(argv[3])) < 1)
        return 2;
    home = argv[2];
    unloaded = argv[4];
    names = argv + 5;
    handle = dlopen(argv[1], RTLD_NOW);
    engine = handle ? dlsym(handle, CUA_ENGINE_SYMBOL) : NULL;
    if (!engine || engine->contract != CUA_CONTRACT || pthread_barrier_init(&all, NULL, ASKERS)) {
        fprintf(stderr, "threads: %s\n", handle ? "another contract" : dlerror());
        return 2;
    }
    for (int i = 0; i < ASKERS + READERS; i++)
        if (pthread_create(&thread[i], NULL, i < ASKERS ? asks : reads, (void *)(intptr_t)i) != 0)
            return 2;
    for (int i = 0; i < ASKERS + READERS; i++) {
        if (i == ASKERS)
            atomic_store(&finished, true);
        pthread_join(thread[i], NULL);
    }
    print();
    return atomic_load(&bytes_read) > 0 ? 0 : 1;
}
