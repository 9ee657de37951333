/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>

#include "cuarbiter/ident.h"
#include "cuarbiter/names.h"

#include "engine.h"
#include "objects.h"
#include "state.h"
#include "syscalls.h"
#include "text.h"

#define PAGE 4096
/* More memory than the engine takes. */
#define ROOM (1 << 20)
/* A program that never gets out of its want does not pay for it for ever. */
#define MOST_TRIES 64

CUA_IDENT("shim");

static const struct cua_engine none;
static _Atomic(const struct cua_engine *) engine; /* NULL: not tried; &none: there is none */
static _Atomic(int) tries;
static _Atomic(uintptr_t) low, high;
/* The thread that is loading it: if loading comes back to us there, another preload's dlopen asks
 * for something of its own, and passes through. */
static _Atomic(int) loader;

/* Was the engine refused for want of descriptors or memory? Then there may be some later. ld.so
 * does not say why; the kernel does, asked for the same. */
static bool is_want(const char *path)
{
    int fd = cua_sys_open(path);
    void *room;

    if (fd < 0)
        return fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM;
    cua_sys_close(fd);
    room = cua_sys_map(ROOM);
    if (room)
        cua_sys_unmap(room, ROOM);
    return !room;
}

/* NULL: not now. */
static const struct cua_engine *open_file(const char *path)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))cua_next_dlopen();
    const struct cua_engine *found;
    struct dl_phdr_info object;
    uintptr_t from, to;

    if (!next(path, RTLD_LAZY | RTLD_LOCAL))
        return is_want(path) ? NULL : &none;
    if (!cua_object_find(path, &object))
        return &none;
    found = cua_object_symbol(&object, CUA_ENGINE_SYMBOL);
    if (!found || found->contract != CUA_CONTRACT || found->size < sizeof(*found) || !found->ask)
        return &none;
    cua_object_range(&object, &from, &to);
    atomic_store(&low, from);
    atomic_store(&high, to);
    return found;
}

/* The same. */
static const struct cua_engine *open_engine(void)
{
    const struct cua_engine *found = &none;
    const char *home = cua_home();
    char usual[512], *path = usual, *end;
    size_t length = home ? cua_length(home) : 0;
    bool large = length + 1 + sizeof(CUA_FILE_ENGINE) > sizeof(usual);

    if (large)
        path = length <= PAGE ? cua_sys_map(2 * PAGE) : NULL;
    if (!home || length > PAGE)
        return found;
    if (!path)
        return NULL;
    end = cua_put(path, home, length);
    *end++ = '/';
    cua_put(end, CUA_FILE_ENGINE, sizeof(CUA_FILE_ENGINE));
    found = open_file(path);
    if (large)
        cua_sys_unmap(path, 2 * PAGE);
    return found;
}

/* NULL: not now. */
static const struct cua_engine *get_engine(void)
{
    const struct cua_engine *found = atomic_load_explicit(&engine, memory_order_acquire);
    const struct cua_engine *other = NULL;
    int thread;

    if (found)
        return found;
    cua_next_dlopen();
    if (!CUA_GET(dlopen)) /* libdl may still come */
        return NULL;
    thread = cua_sys_thread();
    if (atomic_load(&loader) == thread)
        return NULL;
    atomic_store(&loader, thread);
    found = open_engine();
    if (!found && atomic_fetch_add(&tries, 1) >= MOST_TRIES)
        found = &none;
    /* Another thread may have been luckier. */
    if (!atomic_compare_exchange_strong(&engine, &other, found))
        found = other;
    atomic_store(&loader, 0);
    return found;
}

bool cua_engine_there(void)
{
    const struct cua_engine *found = atomic_load_explicit(&engine, memory_order_acquire);

    return found && found != &none;
}

static void set_question(struct cua_question *question, char *const *env)
{
    question->ask = 0;
    question->flags = 0;
    question->name = NULL;
    question->caller = NULL;
    question->env = env;
    question->library_path = CUA_GET(library_path);
    question->home = cua_home();
    question->head = NULL;
    question->head_size = 0;
}

/* NULL, and an answer that leaves everything as it is: nobody can be asked. */
static const struct cua_engine *begin(struct cua_question *question, char *const *env,
                                      struct cua_answer *answer)
{
    const struct cua_engine *found = get_engine();

    answer->action = CUA_LEAVE;
    answer->final = found == &none;
    answer->path = NULL;
    if (!found || found == &none)
        return NULL;
    set_question(question, env);
    return found;
}

void cua_ask(enum cua_ask ask, const char *name, int flags, const void *caller, char *const *env,
             struct cua_answer *answer)
{
    struct cua_question question;
    const struct cua_engine *found = begin(&question, env, answer);

    if (!found)
        return;
    question.ask = ask;
    question.flags = (uint32_t)flags;
    question.name = name;
    question.caller = caller;
    found->ask(&question, answer);
    if (!answer->path)
        answer->action = CUA_LEAVE;
}

void cua_ask_found(const char *name, const void *caller, void *head, size_t size,
                   struct cua_answer *answer)
{
    struct cua_question question;
    const struct cua_engine *found = begin(&question, NULL, answer);

    if (!found)
        return;
    question.ask = CUA_ASK_FOUND;
    question.name = name;
    question.caller = caller;
    question.head = head;
    question.head_size = (uint32_t)size;
    found->ask(&question, answer);
}

void cua_warn(char *const *env, const char *code, const char *sentence)
{
    const struct cua_engine *found = get_engine();
    struct cua_question question;

    if (!found || found == &none || !found->say)
        return;
    set_question(&question, env);
    found->say(&question, 1, code, sentence);
}

bool cua_engine_calls(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;

    return at >= atomic_load_explicit(&low, memory_order_relaxed) &&
           at < atomic_load_explicit(&high, memory_order_relaxed);
}
