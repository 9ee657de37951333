/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>

#include "engine.h"
#include "look.h"
#include "names.h"
#include "pick.h"
#include "state.h"
#include "text.h"

static const char *pick_named(const char *path, uint64_t key, int flags, const void *caller)
{
    const char *kept = cua_kept(key);
    struct cua_answer answer;

    if (kept)
        return kept;
    cua_ask(CUA_ASK_NAMED, path, flags, caller, NULL, &answer);
    if (answer.action != CUA_RENAME) {
        if (answer.final)
            cua_see(key);
        return path;
    }
    if (answer.final)
        cua_keep(key, answer.path);
    return answer.path;
}

/* The path stays the caller's own; what the library would bring in is opened before it. Our dlopen
 * calls end here, so that the program's own is the one that dlerror speaks of. */
static void bring_first(const char *path, size_t length, uint64_t key, int flags,
                        const void *caller)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))cua_next_dlopen();
    struct cua_answer answer;

    if (!cua_brings(path, length))
        return;
    cua_ask(CUA_ASK_BROUGHT, path, flags, caller, NULL, &answer);
    if (answer.action == CUA_FIRST && next(answer.path, RTLD_LAZY | RTLD_LOCAL))
        CUA_SET(settled, true);
    else if (answer.action == CUA_LEAVE && answer.final)
        cua_see(key);
}

static const char *pick(const char *path, int flags, const void *caller, bool in_base)
{
    size_t length;
    uint64_t key;
    int kept;

    CUA_SET(called, true);
    if (!path || !*path || !cua_awake() || !cua_present() || cua_engine_calls(caller))
        return path;
    length = cua_length(path);
    key = cua_key(path, length);
    if (cua_seen(key))
        return path;
    kept = errno;
    if (cua_name_listed(cua_file(path, length)))
        path = pick_named(path, key, flags, caller);
    else if (in_base && !(flags & RTLD_NOLOAD) && !CUA_GET(settled))
        bring_first(path, length, key, flags, caller);
    errno = kept;
    return path;
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
