/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"
#include "look.h"
#include "names.h"
#include "needs.h"
#include "objects.h"
#include "state.h"
#include "text.h"

static bool has_slash(const char *path, size_t length)
{
    return cua_file(path, length) != path;
}

static bool has_token(const char *path)
{
    while (*path && *path != '$')
        path++;
    return *path;
}

/* Is this need there already? As ld.so asks: a path by itself, a name among all names. */
static bool is_there(const char *name)
{
    size_t length = cua_length(name);
    uint64_t key = cua_key(name, length);

    if (cua_seen(key) || cua_name_libc(name))
        return true;
    if (has_slash(name, length))
        return cua_object_mapped_path(name);
    if (!cua_object_mapped(name))
        return false;
    /* A name of the table must reach the engine each time that it is asked for. */
    if (!cua_name_listed(name))
        cua_see(key);
    return true;
}

bool cua_brings(const char *path, size_t length)
{
    bool slash = has_slash(path, length);
    enum cua_needs needs = CUA_NEEDS_UNUSUAL;

    if (!slash && cua_name_libc(path)) {
        cua_see(cua_key(path, length));
        return false;
    }
    /* Where ld.so searches or expands, only the engine can follow. */
    if (slash && !has_token(path))
        needs = cua_needs(path, is_there);
    if (needs == CUA_NEEDS_UNREADABLE)
        return false;
    if (needs != CUA_NEEDS_READ &&
        (cua_engine_there() || !(slash ? cua_object_mapped_path(path) : cua_object_mapped(path))))
        return true;
    /* A relative path may name another file after the next chdir. */
    if (!slash || *path == '/')
        cua_see(cua_key(path, length));
    return false;
}
