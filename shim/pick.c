/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>

#include "engine.h"
#include "look.h"
#include "names.h"
#include "pick.h"
#include "state.h"
#include "text.h"

struct request {
    const char *path;
    size_t length;
    uint64_t key;
    const void *caller;
    int flags;
    bool in_base;
};

static const char *pick_named(const struct request *request)
{
    const char *kept = cua_kept(request->key);
    struct cua_answer answer;

    if (kept)
        return kept;
    cua_ask(CUA_ASK_NAMED, request->path, request->flags, request->caller, NULL, &answer);
    if (answer.action != CUA_RENAME) {
        if (answer.final)
            cua_see(request->key);
        return request->path;
    }
    if (answer.final)
        cua_keep(request->key, answer.path);
    return answer.path;
}

/* The path stays the caller's own; what the library would bring in is opened before it. Our dlopen
 * calls end here, so that the program's own is the one that dlerror speaks of. */
static void bring_first(const struct request *request)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))cua_next_dlopen();
    struct cua_answer answer;

    if (!cua_brings(request->path, request->length, request->caller))
        return;
    cua_ask(CUA_ASK_BROUGHT, request->path, request->flags, request->caller, NULL, &answer);
    if (answer.action == CUA_FIRST && next(answer.path, RTLD_LAZY | RTLD_LOCAL))
        CUA_SET(settled, true);
    else if (answer.action == CUA_LEAVE && answer.final)
        cua_see(request->key);
}

static __attribute__((noinline)) const char *think(const struct request *request)
{
    const char *path = request->path;
    int kept = errno;

    if (cua_engine_calls(request->caller))
        return path;
    if (cua_name_listed(cua_file(path, request->length)))
        path = pick_named(request);
    else if (request->in_base && !(request->flags & RTLD_NOLOAD) && !CUA_GET(settled))
        bring_first(request);
    errno = kept;
    return path;
}

/* Nearly every call ends here, at a name that was seen before or without a driver. */
static inline const char *pick(const char *path, int flags, const void *caller, bool in_base)
{
    struct request request = {path, 0, 0, caller, flags, in_base};

    if (!path || !*path || !cua_acts())
        return path;
    request.length = cua_length(path);
    request.key = cua_key(path, request.length);
    return cua_seen(request.key) ? path : think(&request);
}

struct cua_pick cua_pick_dlopen(const char *path, int flags, const void *caller)
{
    const char *chosen = pick(path, flags, caller, true);
    struct cua_pick result = {chosen, cua_next_dlopen()};

    return result;
}

struct cua_pick cua_pick_dlmopen(long space, const char *path, int flags, const void *caller)
{
    const char *chosen = pick(path, flags, caller, space == LM_ID_BASE);
    struct cua_pick result = {chosen, cua_next_dlmopen()};

    return result;
}
