/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides what a request opens. A request that was seen before, one for a library of libc and one
 * for a mapped library end here without a system call: the program may be in a sandbox by now. For
 * a library of the table the engine names the file. Any other library is looked into: if it brings
 * in something that is not mapped, the engine is asked whether that is libcuda, and the right
 * libcuda is opened first.
 */
#include <dlfcn.h>
#include <errno.h>

#include "cuarbiter/libraries.h"

#include "engine.h"
#include "answer_cache.h"
#include "mapped.h"
#include "needs.h"
#include "next.h"
#include "objects.h"
#include "pick.h"
#include "state.h"
#include "text.h"

struct request {
    const char *path;
    uint64_t who; /* the name and its caller: each has a search path of its own */
    uint64_t key; /* and the number of unloaded objects: a dlclose may change the answer */
    const void *caller;
    int flags;
    bool in_base;
};

static const char *pick_named(const struct request *request, bool is_libcuda)
{
    struct cua_answer answer;

    cua_ask(CUA_ASK_NAMED, request->path, request->flags, request->caller, NULL, &answer);
    if (is_libcuda)
        CUA_SET(answered, true);
    if (answer.final)
        cua_know(request->key, answer.action == CUA_RENAME ? answer.path : NULL);
    return answer.action == CUA_RENAME ? answer.path : request->path;
}

/* Opens the libcuda that the library would bring in before the library itself. Our own dlopen
 * returns here, so that the program's dlerror only ever speaks of the program's call. */
static void bring_first(const struct request *request, bool is_name)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))CUA_NEXT(dlopen);
    struct cua_answer answer = {.action = CUA_LEAVE, .final = true};
    enum cua_look look = cua_brings(request->path, is_name);

    if (look == CUA_LOOK_NONE)
        return;
    if (look == CUA_LOOK_SHORT)
        cua_ask(CUA_ASK_BROUGHT, request->path, request->flags, request->caller, NULL, &answer);
    if (answer.action == CUA_FIRST && next(answer.path, RTLD_LAZY | RTLD_LOCAL))
        CUA_SET(settled, true);
    /* A relative path may name another file after the next chdir. */
    else if (answer.action == CUA_LEAVE && answer.final && (is_name || *request->path == '/'))
        cua_know(request->key, NULL);
}

/* Compares as ld.so does before it opens a file. To compare a path with a thousand others costs as
 * much as ld.so itself, so paths loaded later are compared only from the second request on. */
static bool is_mapped(const struct request *request, bool is_name)
{
    const char *path = request->path, *ignored;
    uint64_t asked = ~cua_key(path);
    bool before;

    if (!request->in_base)
        return false;
    if (is_name)
        return cua_mapped(path);
    before = cua_known(asked, &ignored);
    cua_know(asked, NULL);
    return cua_mapped_path(path, before);
}

static __attribute__((noinline)) const char *think(const struct request *request)
{
    const char *path = request->path, *file = cua_file(path), *tail;
    const struct cua_library *row = cua_library_of(file, &tail);
    bool is_libcuda;

    if (file == path && cua_name_libc(path))
        cua_know(request->who, NULL);
    /* ld.so refuses what binds neither lazily nor now; nothing may have been opened by then. */
    if ((file == path && cua_name_libc(path)) || !(request->flags & (RTLD_LAZY | RTLD_NOW)))
        return path;
    if (row && !cua_library_tail_plain(tail))
        row = NULL;
    is_libcuda = row && row->kind == CUA_LIBRARY_CUDA;
    /* At the first request for libcuda the engine says whether the mapped one is right. */
    if ((!is_libcuda || CUA_GET(answered) || CUA_GET(settled)) &&
        is_mapped(request, file == path)) {
        cua_know(request->key, NULL);
        return path;
    }
    if (request->flags & RTLD_NOLOAD && !(row && cua_mapped("libcuda.so.1")))
        return path;
    if (!cua_present())
        return path;
    if (row)
        return pick_named(request, is_libcuda);
    if (request->in_base && !CUA_GET(settled))
        bring_first(request, file == path);
    return path;
}

/* Nearly every call ends here: the name was seen before, or there is no driver. */
static inline __attribute__((always_inline)) const char *pick(const char *path, int flags,
                                                              const void *caller, bool in_base)
{
    struct request request = {path, 0, 0, caller, flags, in_base};
    const char *chosen;
    int kept;

    if (!path || !*path || !cua_awake())
        return path;
    request.who = cua_key(path) ^ (uintptr_t)caller << 16 ^ in_base;
    /* A name of libc. */
    if (*path != '/' && cua_known(request.who, &chosen))
        return path;
    request.key = request.who ^ (cua_objects_unloaded() + 1) << 2;
    if (cua_known(request.key, &chosen))
        return chosen ? chosen : path;
    kept = errno;
    chosen = think(&request);
    errno = kept;
    return chosen;
}

struct cua_pick cua_pick_dlopen(const char *path, int flags, const void *caller)
{
    const char *chosen = pick(path, flags, caller, true);

    return (struct cua_pick){chosen, CUA_NEXT(dlopen)};
}

struct cua_pick cua_pick_dlmopen(long space, const char *path, int flags, const void *caller)
{
    const char *chosen = pick(path, flags, caller, space == LM_ID_BASE);

    return (struct cua_pick){chosen, CUA_NEXT(dlmopen)};
}
