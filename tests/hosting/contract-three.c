/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract-three ENGINE HOME NAME: asks as a shim of contract 3 does. The structs are a copy of
 * include/cuarbiter/contract.h, made for good when contract 3 was first released: programs that
 * were started with such a shim ask the engine of any later release.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct question {
    uint32_t ask, flags;
    const char *name;
    const void *caller;
    char *const *env;
    const char *library_path, *home;
    int (*iterate)(int (*visit)(struct dl_phdr_info *, size_t, void *), void *);
};

struct answer {
    uint32_t action, final;
    const char *path;
};

struct engine {
    uint32_t contract, size;
    const char *version;
    void (*ask)(const struct question *question, struct answer *answer);
    void (*not_executed)(const struct question *question, const char *why);
};

static bool has_note(const char *path)
{
    static const uint32_t note[] = {sizeof("cuarbiter"), 0, 3};
    char bytes[1024];
    size_t at;
    FILE *file = fopen(path, "r");

    if (!file || fread(bytes, 1, sizeof(bytes), file) != sizeof(bytes))
        return false;
    fclose(file);
    for (at = 0; at + 24 <= sizeof(bytes); at += 4)
        if (!memcmp(bytes + at, note, 12) && !memcmp(bytes + at + 12, "cuarbiter", 10))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    struct question question = {.ask = 1, .flags = RTLD_NOW, .iterate = dl_iterate_phdr};
    struct answer answer = {0, 0, NULL};
    const struct engine *engine;
    void *handle;

    if (argc != 4)
        return 2;
    handle = dlopen(argv[1], RTLD_LAZY);
    engine = handle ? dlsym(handle, "cua_engine") : NULL;
    if (!has_note(argv[1]) || !engine || engine->contract != 3 || engine->size < sizeof(*engine))
        return 1;
    question.library_path = getenv("LD_LIBRARY_PATH");
    question.home = argv[2];
    question.name = argv[3];
    question.caller = (const void *)(uintptr_t)main;
    engine->ask(&question, &answer);
    printf("%u %u %s\n", answer.action, answer.final, answer.path ? answer.path : "-");
    return 0;
}
