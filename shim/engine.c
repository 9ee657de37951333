/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>

#include "cuarbiter/ident.h"
#include "cuarbiter/names.h"

#include "engine.h"
#include "next.h"
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
static _Atomic(void *) loader;

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

struct search {
    const char *path;
    const struct cua_engine *found;
};

/* The engine is linked from address 0 on, too. */
static void note_range(const struct link_map *map)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)map->l_addr;
    const ElfW(Phdr) *program = (const ElfW(Phdr) *)(map->l_addr + header->e_phoff);
    uintptr_t end = 0;
    size_t i;

    for (i = 0; i < header->e_phnum; i++)
        if (program[i].p_type == PT_LOAD)
            end = program[i].p_vaddr + program[i].p_memsz;
    atomic_store(&low, map->l_addr);
    atomic_store(&high, map->l_addr + end);
}

static void find_opened(void *arg, uint64_t unloaded)
{
    const struct link_map *map = cua_objects(), *engine_map = NULL;
    struct search *search = arg;

    (void)unloaded;
    /* Under this path, or whatever it was opened by first. */
    for (; map; map = map->l_next) {
        if (cua_same(map->l_name, search->path))
            break;
        if (!engine_map && cua_object_called(map, CUA_FILE_ENGINE))
            engine_map = map;
    }
    map = map ? map : engine_map;
    search->found = map ? cua_object_symbol(map, CUA_ENGINE_SYMBOL) : NULL;
    if (search->found)
        note_range(map);
}

/* NULL: not now. */
static const struct cua_engine *open_file(const char *path)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))cua_next_dlopen();
    struct search search = {path, NULL};
    const struct cua_engine *found;

    if (!next(path, RTLD_LAZY | RTLD_LOCAL))
        return is_want(path) ? NULL : &none;
    cua_objects_hold(find_opened, &search);
    found = search.found;
    if (!found || found->contract != CUA_CONTRACT || found->size < sizeof(*found) || !found->ask)
        return &none;
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
    void *thread = &errno; /* each has its own, and no system call tells it */

    if (found)
        return found;
    cua_next_dlopen();
    if (!CUA_GET(dlopen)) /* libdl may still come */
        return NULL;
    if (atomic_load(&loader) == thread)
        return NULL;
    atomic_store(&loader, thread);
    found = open_engine();
    if (!found && atomic_fetch_add(&tries, 1) >= MOST_TRIES)
        found = &none;
    /* Another thread may have been luckier. */
    if (!atomic_compare_exchange_strong(&engine, &other, found))
        found = other;
    atomic_store(&loader, NULL);
    return found;
}

static struct cua_question make_question(char *const *env)
{
    struct cua_question question = {
        .env = env,
        .library_path = CUA_GET(library_path),
        .home = cua_home(),
        .iterate = CUA_GET(iterate),
    };

    return question;
}

void cua_ask(enum cua_ask ask, const char *name, int flags, const void *caller, char *const *env,
             struct cua_answer *answer)
{
    const struct cua_engine *found = get_engine();
    struct cua_question question;

    answer->action = CUA_LEAVE;
    answer->final = found == &none;
    answer->path = NULL;
    if (!found || found == &none)
        return;
    question = make_question(env);
    question.ask = ask;
    question.flags = (uint32_t)flags;
    question.name = name;
    question.caller = caller;
    found->ask(&question, answer);
    if (!answer->path && answer->action != CUA_LOOK)
        answer->action = CUA_LEAVE;
}

void cua_warn(char *const *env, const char *code, const char *sentence)
{
    const struct cua_engine *found = get_engine();
    struct cua_question question;

    if (!found || found == &none || !found->say)
        return;
    question = make_question(env);
    found->say(&question, 1, code, sentence);
}

bool cua_engine_calls(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;

    return at >= atomic_load_explicit(&low, memory_order_relaxed) &&
           at < atomic_load_explicit(&high, memory_order_relaxed);
}
