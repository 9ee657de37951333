/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the engine's file, opens it with the next dlopen and asks it. Complains once if none. */
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

#include "cuarbiter/ident.h"
#include "cuarbiter/names.h"
#include "cuarbiter/stderr.h"

#include "engine.h"
#include "objects.h"
#include "state.h"
#include "syscalls.h"
#include "text.h"

#define BLOCK 1024
#define HEAD  1024 /* its headers and its note */
/* A program that stays short of memory or descriptors must not pay for each new attempt. */
#define MOST_TRIES 64

CUA_IDENT("shim");

static const struct cua_engine none;
static _Atomic(const struct cua_engine *) engine; /* NULL: not tried; &none: there is none */
static _Atomic(int) tries;
static _Atomic(bool) complained;
static _Atomic(int) asking;
/* The thread that is loading it. If that thread asks again, another preload's dlopen needs a
 * library for itself: its request passes through. */
static _Atomic(void *) loader;

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

/* Parts of a file that were never written read as zeros. An engine has no whole BLOCK of zeros in
 * the parts that are checked (gate-engine-written), and no shorter part is all zeros. */
static bool is_written(const char *bytes, size_t size)
{
    bool written = true;
    size_t at, i;

    for (at = 0; written && (!at || at + BLOCK <= size); at += BLOCK)
        for (i = at, written = false; !written && i < at + BLOCK && i < size; i++)
            written = bytes[i];
    return written;
}

/* True if the file holds all its segments, and if its end, its dynamic section and all that the
 * program cannot write to were written. ld.so maps a shorter file without complaint, and the
 * program dies at the first touch. */
static bool is_whole(const char *file, uint64_t size)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)(const void *)file;
    const ElfW(Phdr) *program = (const ElfW(Phdr) *)(const void *)(header + 1);
    bool checked;
    size_t i;

    if (header->e_phoff != sizeof(*header) || header->e_phnum > 16 || !holds_note(file, HEAD) ||
        !is_written(file + size - 64, 64))
        return false;
    for (i = 0; i < header->e_phnum; i++, program++) {
        checked = program->p_type == PT_DYNAMIC ||
                  (program->p_type == PT_LOAD && !(program->p_flags & PF_W));
        if (program->p_offset > size || program->p_filesz > size - program->p_offset ||
            (checked && !is_written(file + program->p_offset, program->p_filesz)))
            return false;
    }
    return true;
}

static int find_opened(struct dl_phdr_info *object, size_t size, void *arg)
{
    const struct link_map *map = cua_objects();

    (void)object, (void)size;
    while (map && !cua_object_called(map, CUA_FILE_ENGINE))
        map = map->l_next;
    *(const struct cua_engine **)arg = map ? cua_object_symbol(map, CUA_ENGINE_SYMBOL) : NULL;
    return 1;
}

/* NULL: it cannot be opened now, but perhaps later. */
static const struct cua_engine *open_file(const char *path)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))CUA_NEXT(dlopen);
    const struct cua_engine *found = NULL;
    int fd = cua_sys_open(path);
    struct stat st = {0};
    const char *file;
    bool whole;

    if (fd < 0)
        return fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM ? NULL : &none;
    file = cua_sys_map_whole(fd, &st);
    whole = file && st.st_size >= HEAD && is_whole(file, (uint64_t)st.st_size);
    cua_sys_unmap(file, (size_t)st.st_size);
    if (!whole)
        return !file && S_ISREG(st.st_mode) && st.st_size >= HEAD ? NULL : &none;
    /* ld.so refuses a whole file only for lack of descriptors or memory, which may pass. */
    if (!next(path, RTLD_LAZY | RTLD_LOCAL))
        return NULL;
    cua_objects_hold(find_opened, &found);
    if (!found || found->contract != CUA_CONTRACT || found->size < sizeof(*found) || !found->ask)
        return &none;
    return found;
}

/* NULL: not now. */
static const struct cua_engine *get_engine(void)
{
    const struct cua_engine *found = atomic_load_explicit(&engine, memory_order_acquire);
    const struct cua_engine *other = NULL;
    void *thread = &errno; /* each thread has its own, and its address needs no system call */

    if (found)
        return found;
    CUA_NEXT(dlopen);
    if (!CUA_GET(dlopen)) /* libdl may still come */
        return NULL;
    if (atomic_load(&loader) == thread)
        return NULL;
    atomic_store(&loader, thread);
    if (cua_folder())
        found = open_file(cua_folder() + CUA_ENGINE_AT);
    if (!found && atomic_fetch_add(&tries, 1) >= MOST_TRIES)
        found = &none;
    /* Another thread may have succeeded meanwhile. */
    if (!atomic_compare_exchange_strong(&engine, &other, found))
        found = other;
    atomic_store(&loader, NULL);
    return found;
}

static long call(long number, long a, long b, long c, long d)
{
    return cua_syscall(number, a, b, c, d, 0, 0);
}

/* One line on standard error, since there is no engine to write it. */
static void complain(const char *file)
{
    static const char start[] = "cuarbiter: error: no-engine: ";
    static const char rest[] = " cannot be used: libcuda is left as it is asked for\n";
    size_t length = cua_length(file);
    char line[512], *to = cua_mempcpy(line, start, sizeof(start) - 1);

    if (!cua_stderr_takes_lines(STDERR_FILENO, call) ||
        length + sizeof(start) + sizeof(rest) > sizeof(line))
        return;
    to = cua_mempcpy(to, file, length);
    to = cua_mempcpy(to, rest, sizeof(rest) - 1);
    cua_write_at_once(STDERR_FILENO, line, (size_t)(to - line), call);
}

static struct cua_question make_question(const char *name, char *const *env)
{
    return (struct cua_question){
        .name = name,
        .env = env,
        .library_path = CUA_GET(library_path),
        .home = cua_folder(),
        .iterate = CUA_GET(iterate),
    };
}

void cua_ask(enum cua_ask ask, const char *name, int flags, const void *caller, char *const *env,
             struct cua_answer *answer)
{
    /* MemorySanitizer ends a program for what libc is passed by code that it has not built. */
    bool refused = cua_object_symbol(cua_objects(), "__msan_init");
    const struct cua_engine *found = refused ? NULL : get_engine();
    struct cua_question question;

    *answer = (struct cua_answer){.action = CUA_LEAVE, .final = found == &none};
    if (found == &none && (ask == CUA_ASK_NAMED || ask == CUA_ASK_LINKED) &&
        !atomic_exchange(&complained, true))
        complain(cua_folder() ? cua_folder() + CUA_ENGINE_AT : CUA_FILE_ENGINE);
    if (!found || found == &none)
        return;
    question = make_question(name, env);
    question.ask = ask;
    question.flags = (uint32_t)flags;
    question.caller = caller;
    if (atomic_fetch_add(&asking, 1) < CUA_MOST_QUESTIONS)
        found->ask(&question, answer);
    atomic_fetch_sub(&asking, 1);
    if (!answer->path)
        answer->action = CUA_LEAVE;
}

void cua_log_not_executed(char *const *env, const char *umd, const char *why)
{
    const struct cua_engine *found = get_engine();
    struct cua_question question = make_question(umd, env);

    if (found && found != &none && found->not_executed)
        found->not_executed(&question, why);
}
