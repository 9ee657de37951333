/* SPDX-License-Identifier: Apache-2.0 */
/* Decides what a request opens. A request that was seen before, one for a library of libc and one
 * for a mapped library end here without a system call: the program may be in a sandbox by now. For
 * a library of the table the engine names the file. Any other library is looked into: if it brings
 * in something that is not mapped, the engine is asked whether that is libcuda, and the right
 * libcuda is opened first. */
#include <dlfcn.h>
#include <errno.h>

#include "cuarbiter/libraries.h"

#include "company.h"
#include "engine.h"
#include "mapped.h"
#include "needs.h"
#include "objects.h"
#include "state.h"
#include "text.h"

/* The answers to earlier requests. The table is small and forgets: an answer lies in its own place
 * or in the neighbouring one. No answer outlives a dlclose, but for libc's own libraries. There is
 * no lock; a fork in the middle of a write loses one place. */
#define PLACES  128
#define WRITING 1
static struct place {
    _Atomic(uint64_t) key; /* 0: free */
    _Atomic(const char *) path;
} places[PLACES];

/* 2, behind in_base, for each further namespace: they take the number of unloaded objects back. */
static _Atomic(uint64_t) apart;

static inline bool read_place(const struct place *place, uint64_t key, const char **path)
{
    if (atomic_load_explicit(&place->key, memory_order_acquire) != key)
        return false;
    *path = atomic_load_explicit(&place->path, memory_order_acquire);
    /* Another thread may have begun to write in between. */
    return atomic_load_explicit(&place->key, memory_order_relaxed) == key;
}

/* Sets `path` to what to open, NULL for the request as it is. False if no answer is kept. */
static inline bool find_answer(uint64_t key, const char **path)
{
    uint64_t at = key % PLACES;

    return read_place(&places[at], key, path) || read_place(&places[at ^ 1], key, path);
}

static void write_place(struct place *place, uint64_t key, const char *path)
{
    if (atomic_exchange(&place->key, WRITING) == WRITING)
        return;
    atomic_store_explicit(&place->path, path, memory_order_release);
    atomic_store_explicit(&place->key, key, memory_order_release);
}

/* The new answer takes the first place, the old one its neighbour. `path` must live for ever. */
static void keep_answer(uint64_t key, const char *path)
{
    struct place *own = &places[key % PLACES];
    uint64_t old = atomic_load_explicit(&own->key, memory_order_relaxed);
    const char *moved;

    if (old != key && old > WRITING && read_place(own, old, &moved))
        write_place(&places[(key % PLACES) ^ 1], old, moved);
    write_place(own, key, path);
}

struct request {
    const char *path;
    uint64_t who; /* the name and its caller: each has a search path of its own */
    uint64_t key; /* and the number of unloaded objects: a dlclose may change the answer */
    const void *caller;
    int flags;
    bool in_base, is_name;
};

struct pick {
    const char *open;
    uint64_t key; /* of the request for which it holds from now on; 0: for this one alone */
};

static struct pick choose_named(const struct request *request, bool is_libcuda)
{
    struct cua_answer answer;

    cua_ask(CUA_ASK_NAMED, request->path, request->flags, request->caller, NULL, &answer);
    if (is_libcuda)
        CUA_SET(answered, true);
    return (struct pick){answer.action == CUA_RENAME ? answer.path : request->path,
                         answer.final ? request->key : 0};
}

/* Opens the libcuda that the library would bring in before the library itself. Our own dlopen
 * returns here, so that the program's dlerror only ever speaks of the program's call. */
static struct pick bring_first(const struct request *request)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))CUA_NEXT(dlopen);
    struct cua_answer answer = {.action = CUA_LEAVE, .final = true};
    enum cua_look look = cua_brings(request->path, request->is_name);
    bool final;

    if (look == CUA_LOOK_SHORT)
        cua_ask(CUA_ASK_BROUGHT, request->path, request->flags, request->caller, NULL, &answer);
    if (answer.action == CUA_FIRST && next(answer.path, RTLD_LAZY | RTLD_LOCAL))
        CUA_SET(settled, true);
    /* A relative path may name another file after the next chdir. */
    final = look != CUA_LOOK_NONE && answer.action == CUA_LEAVE && answer.final &&
            (request->is_name || *request->path == '/');
    return (struct pick){request->path, final ? request->key : 0};
}

static struct pick choose(const struct request *request)
{
    const char *path = request->path, *tail;
    const struct cua_library *row = cua_library_of(cua_file(path), &tail);
    struct pick as_it_is = {path, 0};
    bool is_libcuda;

    if (request->is_name && cua_name_libc(path))
        return (struct pick){path, request->who};
    /* ld.so refuses what binds neither lazily nor now; nothing may have been opened by then. */
    if (!(request->flags & (RTLD_LAZY | RTLD_NOW)))
        return as_it_is;
    if (row && !cua_library_tail_plain(tail))
        row = NULL;
    is_libcuda = row && row->kind == CUA_LIBRARY_CUDA;
    /* At the first request for libcuda the engine says whether the mapped one is right. */
    if ((!is_libcuda || CUA_GET(answered) || CUA_GET(settled)) && request->in_base &&
        (request->is_name ? cua_is_mapped(path) : cua_path_is_mapped(path)))
        return (struct pick){path, request->key};
    if (request->flags & RTLD_NOLOAD && !(row && cua_is_mapped("libcuda.so.1")))
        return as_it_is;
    if (!cua_present())
        return as_it_is;
    cua_are_mapped(NULL, 0, true); /* a file is about to be opened: nothing forbids to map memory */
    if (row)
        return choose_named(request, is_libcuda);
    if (!request->in_base || CUA_GET(settled) ||
        (CUA_GET(answered) && cua_is_mapped("libcuda.so.1")))
        return as_it_is;
    return bring_first(request);
}

static __attribute__((noinline)) const char *choose_new(struct request *request)
{
    if (cua_company_calls(request->caller)) /* even errno may be a hook's */
        return request->path;
    int kept = errno;
    request->is_name = cua_file(request->path) == request->path;
    struct pick choice = choose(request);
    if (choice.key)
        keep_answer(choice.key, choice.open == request->path ? NULL : choice.open);
    errno = kept;
    return choice.open;
}

/* Nearly every call ends here: the name was seen before, or there is no driver. */
static inline __attribute__((always_inline)) const char *pick(const char *path, int flags,
                                                              const void *caller, bool in_base)
{
    struct request request = {path, 0, 0, caller, flags, in_base, false};
    const char *known;

    if (!path || !*path || !cua_awake())
        return path;
    request.who = cua_key(path) ^ (uintptr_t)caller << 16 ^ in_base ^ atomic_load(&apart);
    /* A name of libc. */
    if (*path != '/' && find_answer(request.who, &known))
        return path;
    request.key = request.who ^ (cua_objects_unloaded() + 1) << 2;
    if (find_answer(request.key, &known))
        return known ? known : path;
    return choose_new(&request);
}

/* For the entry stubs, in two registers on both architectures. */
struct cua_pick {
    const char *path; /* what to open: the caller's own string, or one that lives for ever */
    void *next;       /* the function to jump to, never NULL */
};
struct cua_pick cua_pick_dlopen(const char *path, int flags, const void *caller);
struct cua_pick cua_pick_dlmopen(long space, const char *path, int flags, const void *caller);

struct cua_pick cua_pick_dlopen(const char *path, int flags, const void *caller)
{
    const char *chosen = pick(path, flags, caller, true);

    return (struct cua_pick){chosen, CUA_NEXT(dlopen)};
}

struct cua_pick cua_pick_dlmopen(long space, const char *path, int flags, const void *caller)
{
    if (space != LM_ID_BASE)
        atomic_fetch_add(&apart, 2);
    const char *chosen = pick(path, flags, caller, space == LM_ID_BASE);

    return (struct cua_pick){chosen, CUA_NEXT(dlmopen)};
}
