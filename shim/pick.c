/* SPDX-License-Identifier: Apache-2.0 */
/* Decides what a dlopen request opens:
 * - A request whose answer is in the cache (known.h) is answered from it, because the program may
 *   be sandboxed by now. If the chosen file is loaded, that takes no system call. Otherwise ld.so
 *   looks at the file, as a dlopen does, and then the shim calls stat. Answers that may change,
 *   such as that for a relative path, are not cached.
 * - A request for a library of libc is passed on.
 * - For a library of the driver (libraries.h) the shim asks the answerer, a program (ask.h), which
 *   file to open.
 * - Any other library is checked first: if it needs libcuda, the right libcuda is opened before it.
 *
 * Row: what a request leads to (struct cua_row in known.h). Companion: a library that libcuda
 * opens, such as the PTX compiler. */
#include <dlfcn.h>

#include "cuarbiter/libraries.h"

#include "ask.h"
#include "begin.h"
#include "known.h"
#include "loaded.h"
#include "needs.h"
#include "objects.h"
#include "state.h"
#include "text.h"

struct request {
    const char *path;
    /* A hash of the path and of `in_base`. If the path is not absolute, also of the caller, since
     * callers search in different folders. */
    uint64_t key;
    uint64_t name; /* a hash of the path alone */
    const void *caller;
    int flags;
    /* in_base: for the base namespace; is_name: the path has no slash */
    bool in_base, is_name;
};

/* Special rows, recognised by their addresses. as_it_is: pass the request on unchanged, always.
 * as_loaded: as long as a library of that name is loaded, every caller gets it (find_for_all). */
static const struct cua_row as_it_is, as_loaded;

/* Special row: the answer is in another row, whose key includes the caller's identity
 * (cua_object_identity). Used for a caller that can be unloaded: later another library, with other
 * search paths, may be loaded at its address. */
static const struct cua_row as_for_caller;

/* Special row: the shim has found no file of this name for this caller, and has asked the answerer
 * about it once. As long as the shim still finds none, it does not ask again. */
static const struct cua_row as_missing;

/* Asks the answerer. Returns the row to cache; NULL: the answer must not be cached. */
static const struct cua_row *ask(const struct request *request, enum cua_ask kind,
                                 struct cua_answer *answer)
{
    struct cua_question question = {
        .ask = kind,
        .name = request->path,
        .flags = request->flags,
        .caller = request->caller,
    };

    cua_ask(&question, answer);
    if (answer->row && answer->row->path && !cua_row_is_file(answer->row))
        *answer = (struct cua_answer){.action = CUA_LEAVE};
    return answer->keep ? answer->row : NULL;
}

/* Returns a row that holds for every caller of this name; NULL: there is none. Two kinds of rows
 * hold for every caller:
 * - That of a companion, because a companion must fit libcuda, whoever the caller is.
 * - That of a file that is loaded by this name, because ld.so gives that file to every caller.
 *
 * Open the row's path, if it has one, and not the name. Another thread may unload the file before
 * ld.so looks, and the name would then lead to whatever the caller's search paths contain. */
static const struct cua_row *find_for_all(const struct request *request)
{
    const struct cua_row *row = cua_row_find(request->name) ?: &as_loaded;

    if (row->companion)
        return cua_row_holds(row) ? row : NULL;
    if (row->path && !cua_is_loaded(row->path, (uintptr_t)row->path))
        return NULL;
    return cua_is_loaded(request->path, request->key) ? row : NULL;
}

/* Caches `row`, the answer to a request. `row` is NULL if the answer must not be cached. A name in
 * the base namespace gets two entries: one for this request, and one for every caller
 * (find_for_all). */
static void keep_named(const struct request *request, const struct cua_row *row)
{
    const struct cua_row *earlier;

    if (!request->is_name || !request->in_base) {
        if (row)
            cua_row_keep(request->key, row);
        return;
    }
    cua_row_keep(request->key, row ?: &as_loaded);
    /* The entry for every caller. It does not replace a companion's row. */
    earlier = cua_row_find(request->name);
    if (!earlier || !earlier->companion)
        cua_row_keep(request->name, row && row->path ? row : &as_loaded);
}

static const char *choose_named(const struct request *request, bool is_libcuda)
{
    const struct cua_row *row = NULL;
    struct cua_answer answer;

    if (request->is_name && request->in_base && cua_row_find(request->name))
        row = find_for_all(request);
    if (row) {
        cua_row_keep(request->key, row->companion ? row : &as_loaded);
        return row->path ? row->path : request->path;
    }
    keep_named(request, ask(request, CUA_ASK_NAMED, &answer));
    if (is_libcuda && request->in_base && !(request->flags & RTLD_NOLOAD))
        CUA_SET(given, true);
    return answer.action == CUA_RENAME && answer.row ? answer.row->path : request->path;
}

/* Detects a profiler that takes libcuda's place: a preload after the shim that exports libcuda's
 * functions, and whose dlopen returns its own handle if libcuda is requested. The profiler finds
 * its handle by the address of dlopen. Under the shim that is the shim's dlopen, so the profiler
 * returns the shim's handle. Returns the profiler's name, which is to be opened instead. NULL:
 * there is no profiler, the request is the profiler's own, or its dlopen opens the real libcuda. */
static const char *find_stand_in(const struct request *request)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))CUA_NEXT(dlopen);
    const struct link_map *map = cua_object_at((const void *)next), *self;
    int (*close)(const void *);
    const void *handle;

    if (!map || map == CUA_GET(libc) || map == cua_object_at(request->caller) ||
        !cua_object_symbol(map, "cuInit"))
        return NULL;
    handle = next(request->path, RTLD_LAZY | RTLD_NOLOAD);
    for (self = cua_objects(); self && !cua_object_is_self(self);)
        self = cua_object_next(self);
    if (handle && handle == self)
        return map->l_name;
    close = (int (*)(const void *))cua_find_libcs("dlclose");
    if (handle && close)
        close(handle);
    return NULL;
}

/* Opens the right libcuda, if the answerer names one, and returns `name`, the profiler's. When the
 * profiler later opens libcuda by name, ld.so returns the one that is loaded already. */
static const char *choose_stand_in(const struct request *request, const char *name)
{
    static struct cua_row row;
    struct cua_answer answer;

    row.path = name;
    ask(request, CUA_ASK_NAMED, &answer);
    if (answer.action == CUA_RENAME && answer.row &&
        ((void *(*)(const char *, int))CUA_NEXT(dlopen))(answer.row->path, RTLD_LAZY | RTLD_LOCAL))
        CUA_SET(settled, true);
    cua_row_keep(request->key, &row);
    return name;
}

/* If the requested library needs libcuda, opens the right libcuda first. If that fails, the program
 * does not notice: its own dlopen follows, and dlerror reports only that. */
static void bring_first(const struct request *request)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))CUA_NEXT(dlopen);
    const struct link_map *caller = request->is_name ? cua_object_at(request->caller) : NULL;
    struct cua_answer answer = {.action = CUA_LEAVE};
    const bool stays = caller;
    enum cua_look look;

    if (request->is_name && !caller)
        caller = cua_object_around(request->caller);
    if (request->is_name && cua_is_known(request->name)) /* loaded at program start */
        look = CUA_LOOK_DONE;
    else
        look = request->is_name && !caller ? CUA_LOOK_SHORT : cua_brings(request->path, caller);
    if (look == CUA_LOOK_NONE && request->is_name) {
        if (cua_row_find(request->key) == &as_missing)
            return;
        cua_row_keep(request->key, &as_missing);
        look = CUA_LOOK_SHORT;
    }
    if (look == CUA_LOOK_SHORT && ask(request, CUA_ASK_BROUGHT, &answer))
        look = CUA_LOOK_DONE;
    else if (look == CUA_LOOK_SHORT) /* the dlopen that follows may load a libcuda */
        CUA_SET(given, true);
    if (answer.action == CUA_FIRST && answer.row) {
        if (next(answer.row->path, RTLD_LAZY | RTLD_LOCAL))
            CUA_SET(settled, true);
        return;
    }
    /* Nothing is cached for a relative path, which may lead to another file after the next
     * chdir. */
    if (look == CUA_LOOK_DONE && (stays || *request->path == '/')) {
        cua_row_keep(request->key, &as_it_is);
    } else if (look == CUA_LOOK_DONE && caller) {
        cua_row_keep(request->key, &as_for_caller);
        cua_row_keep(request->key ^ cua_object_identity(caller), &as_it_is);
    }
}

/* Whether a libcuda is loaded, so that a library that is loaded next will use it. Once this has
 * found that the program has unloaded a libcuda, it is always false. Even if a libcuda is loaded
 * then, another thread may unload it before ld.so looks for it. */
static bool is_there(void)
{
    if (!CUA_GET(given) || CUA_GET(unloaded))
        return false;
    if (cua_is_loaded("libcuda.so.1", 1)) {
        CUA_SET(seen, true);
        return true;
    }
    if (CUA_GET(seen))
        CUA_SET(unloaded, true);
    return false;
}

static const char *choose(struct request *request)
{
    const char *path = request->path, *file = cua_file(path), *tail, *stand_in;
    const struct cua_library *row = cua_library_of(file, &tail);

    request->is_name = file == path;
    if (request->is_name && cua_name_libc(path)) {
        cua_row_keep(request->key, &as_it_is);
        return path;
    }
    /* With neither RTLD_LAZY nor RTLD_NOW ld.so refuses the request, so the shim must open nothing
     * for it. Without a driver there is nothing to choose. */
    if (!(request->flags & (RTLD_LAZY | RTLD_NOW)) || !cua_present())
        return path;
    if (row && !cua_library_tail_plain(tail))
        row = NULL;
    if (row && row->kind == CUA_LIBRARY_CUDA && request->in_base &&
        (stand_in = find_stand_in(request)))
        return choose_stand_in(request, stand_in);
    /* With RTLD_NOLOAD the program only asks whether the library is loaded. Then a file is chosen
     * only for a library of the driver, and only if a libcuda has possibly been loaded already. */
    if (request->flags & RTLD_NOLOAD && !(row && (CUA_GET(given) || CUA_GET(settled))))
        return path;
    if (row && row->kind == CUA_LIBRARY_CUDA && request->in_base && request->flags & RTLD_NOLOAD &&
        !cua_is_loaded("libcuda.so.1", 1))
        return path;
    if (row)
        return choose_named(request, row->kind == CUA_LIBRARY_CUDA);
    if (request->in_base && !CUA_GET(settled) && !is_there())
        bring_first(request);
    return path;
}

/* Returns the path or name to open. Nearly every call returns early: the name is cached, or the
 * machine has no driver. */
static inline __attribute__((always_inline)) const char *pick(const char *path, int flags,
                                                              const void *caller, bool in_base)
{
    struct request request = {path, 0, 0, caller, flags, in_base, false};
    const struct link_map *late;
    const struct cua_row *row;

    if (!path || !*path || !cua_awake())
        return path;
    request.name = cua_key(path);
    request.key = request.name ^ (*path == '/' ? 0 : (uintptr_t)caller << 16) ^ in_base;
    row = cua_row_find(request.key);
    if (row == &as_for_caller) {
        late = cua_object_around(caller);
        row = late ? cua_row_find(request.key ^ cua_object_identity(late)) : NULL;
    }
    if (row == &as_loaded)
        row = find_for_all(&request);
    else if (row && (row == &as_missing || !cua_row_holds(row)))
        row = NULL;
    if (row)
        return row->path ? row->path : path;
    return choose(&request);
}

/* The result for the entry stubs (dlopen and dlmopen in x86_64.S and aarch64.S), which get it in
 * two registers on both architectures. */
struct cua_pick {
    const char *path; /* what to open: the caller's own string, or one that is never freed */
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
    const char *chosen = pick(path, flags, caller, space == LM_ID_BASE);

    return (struct cua_pick){chosen, CUA_NEXT(dlmopen)};
}
