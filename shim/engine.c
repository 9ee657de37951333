/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>

#include "cuarbiter/ident.h"
#include "cuarbiter/names.h"

#include "complain.h"
#include "engine.h"
#include "next.h"
#include "objects.h"
#include "state.h"
#include "syscalls.h"
#include "text.h"

#define PAGE 4096
/* A program that never gets out of its want does not pay for it for ever. */
#define MOST_TRIES 64

CUA_IDENT("shim");

static const struct cua_engine none;
static _Atomic(const struct cua_engine *) engine; /* NULL: not tried; &none: there is none */
static _Atomic(int) tries;
static _Atomic(bool) complained;
static _Atomic(uintptr_t) low, high;
/* The thread that is loading it: if loading comes back to us there, another preload's dlopen asks
 * for something of its own, and passes through. */
static _Atomic(void *) loader;

enum state { BAD, WHOLE, WANT };

static bool holds_note(const char *bytes, size_t size)
{
    static const struct cua_engine_note wanted = CUA_ENGINE_NOTE(CUA_CONTRACT);
    const char *note = (const char *)&wanted;
    size_t at, i = 0;

    for (at = 0; at + sizeof(wanted) <= size && i < sizeof(wanted); at += 4)
        for (i = 0; i < sizeof(wanted) && bytes[at + i] == note[i];)
            i++;
    return i == sizeof(wanted);
}

/* Does the file reach as far as its segments, and was its end written, too? ld.so maps one that was
 * cut off or left full of zeros without complaint, and the program ends at the first touch. */
static bool is_whole(int fd, uint64_t size)
{
    char bytes[2048];
    long got = cua_sys_pread(fd, bytes, sizeof(bytes), 0), i;
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)(const void *)bytes;
    const ElfW(Phdr) *program = (const ElfW(Phdr) *)(const void *)(header + 1);

    if (got < (long)sizeof(bytes) || header->e_phoff != sizeof(*header) || header->e_phnum > 32 ||
        !holds_note(bytes, sizeof(bytes)))
        return false;
    for (i = 0; i < header->e_phnum; i++)
        if (program[i].p_offset > size || program[i].p_filesz > size - program[i].p_offset)
            return false;
    got = cua_sys_pread(fd, bytes, 64, size - 64);
    while (got > 0 && !bytes[got - 1])
        got--;
    return got > 0;
}

static __attribute__((noinline)) enum state check_file(const char *path)
{
    int fd = cua_sys_open(path);
    enum state state = BAD;
    struct stat st;

    if (fd < 0)
        return fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM ? WANT : BAD;
    if (cua_sys_fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_whole(fd, (uint64_t)st.st_size))
        state = WHOLE;
    cua_sys_close(fd);
    return state;
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
    enum state state = check_file(path);

    /* What ld.so refuses of a whole file is descriptors or memory, and there may be some later. */
    if (state != WHOLE || !next(path, RTLD_LAZY | RTLD_LOCAL))
        return state == BAD ? &none : NULL;
    cua_objects_hold(find_opened, &search);
    found = search.found;
    if (!found || found->contract != CUA_CONTRACT || found->size < sizeof(*found) || !found->ask)
        return &none;
    return found;
}

/* The same. */
static const struct cua_engine *open_engine(void)
{
    const char *home = cua_home();
    size_t length = home ? cua_length(home) : PAGE;
    const struct cua_engine *found;
    char *path, *end;

    if (length >= PAGE)
        return &none;
    path = cua_sys_map(2 * PAGE);
    if (!path)
        return NULL;
    end = cua_put(path, home, length);
    *end++ = '/';
    cua_put(end, CUA_FILE_ENGINE, sizeof(CUA_FILE_ENGINE));
    found = open_file(path);
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
    const char *home = cua_home();
    struct cua_question question;

    answer->action = CUA_LEAVE;
    answer->final = found == &none;
    answer->path = NULL;
    if (found == &none && (ask == CUA_ASK_NAMED || ask == CUA_ASK_LINKED) &&
        !atomic_exchange(&complained, true))
        cua_complain("no-engine", home ? home : "",
                     "/" CUA_FILE_ENGINE " cannot be used: libcuda is left as it is asked for");
    if (!found || found == &none)
        return;
    question = make_question(env);
    question.ask = ask;
    question.flags = (uint32_t)flags;
    question.name = name;
    question.caller = caller;
    found->ask(&question, answer);
    if (!answer->path)
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
