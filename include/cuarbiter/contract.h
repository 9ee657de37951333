/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contract between the shim and the engine, which may come from different builds if
 * only one of the two files was copied. The shim uses only an engine of its own
 * CUA_CONTRACT; otherwise it passes every request through.
 *
 * Raise CUA_CONTRACT whenever a struct here changes its layout or a field its meaning. A program
 * may have been started before an upgrade and ask afterwards: from the first release on, the engine
 * keeps the contracts of released shims too. Each has its own exported struct (the next one is
 * `cua_engine_4`) and its own note in the file.
 */
#ifndef CUARBITER_CONTRACT_H
#define CUARBITER_CONTRACT_H

#include <stddef.h>
#include <stdint.h>

struct dl_phdr_info;

#define CUA_CONTRACT 3u

/* The one symbol that the engine exports. */
#define CUA_ENGINE_SYMBOL "cua_engine"

enum cua_ask {
    /* A library of the table was asked for by name: which file shall it be? */
    CUA_ASK_NAMED = 1,
    /* A library that is not mapped yet is about to be loaded: does it bring in libcuda? */
    CUA_ASK_BROUGHT = 2,
    /* The program was started with libcuda among its needs: is it the right one? */
    CUA_ASK_LINKED = 3,
};

struct cua_question {
    uint32_t ask;   /* enum cua_ask */
    uint32_t flags; /* as given to dlopen; 0 for CUA_ASK_LINKED */
    /* The name as the program gave it. LINKED: the l_name of the mapped libcuda. */
    const char *name;
    /* The address that called dlopen (ld.so searches on behalf of the object it lies in); NULL for
     * CUA_ASK_LINKED and where it is not known. */
    const void *caller;
    /* The environment to read, NULL for the process's own `environ`. Given at start-up, when libc
     * has not set environ yet. */
    char *const *env;
    /* LD_LIBRARY_PATH as it was when the process started, which is what ld.so goes by; NULL where
     * it was not set. */
    const char *library_path;
    /* The folder that shim, engine and command lie in, without a slash at its end. */
    const char *home;
    /* libc's own dl_iterate_phdr: the program may have one of its own, which shows a copy of the
     * list made long ago or waits for a lock. */
    int (*iterate)(int (*visit)(struct dl_phdr_info *object, size_t size, void *arg), void *arg);
};

enum cua_action {
    CUA_LEAVE = 0,  /* pass the request on as it is */
    CUA_RENAME = 1, /* NAMED: open `path` instead */
    CUA_FIRST = 2,  /* BROUGHT: open `path` first, RTLD_LOCAL, then go on with the request */
    CUA_EXEC = 3,   /* LINKED: execute the program again with `path` preloaded */
};

struct cua_answer {
    uint32_t action; /* enum cua_action */
    /* The engine will give the same answer for this name in this process for ever; the shim may
     * keep it. */
    uint32_t final;
    /* Absolute path; belongs to the engine and lives as long as the process. */
    const char *path;
};

/*
 * Thread-safe without a lock; may be called from several threads at once and, in a forked child,
 * after a fork in the middle of a call. Never exits, never writes to stdout, keeps errno, and calls
 * no dlopen, which would reach the shim again.
 */
struct cua_engine {
    uint32_t contract; /* CUA_CONTRACT of the build */
    uint32_t size;     /* sizeof(struct cua_engine) of the build */
    const char *version;
    void (*ask)(const struct cua_question *question, struct cua_answer *answer);
    /* One log line: the program could not be executed again with question->name preloaded, and
     * why. */
    void (*not_executed)(const struct cua_question *question, const char *why);
};

/* Says in the engine's file which contract it keeps, so that one of another build is not even
 * mapped. One source of the engine has it. */
struct cua_engine_note {
    uint32_t name_size, size, contract;
    char name[12];
};
#define CUA_ENGINE_NOTE(contract)                                                                  \
    {                                                                                              \
        sizeof("cuarbiter"), 0, contract, "cuarbiter"                                              \
    }
#define CUA_ENGINE_NOTE_SECTION __attribute__((section(".note.cuarbiter"), used, aligned(4)))

/* Exported by the command: the engine, for which it is a weak symbol, is in the command's process
 * where it is defined. */
extern __attribute__((visibility("default"))) const char cua_command_mark;

#endif
