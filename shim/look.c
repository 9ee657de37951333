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

static bool path_brings(const char *path, size_t length)
{
    struct cua_needs_file file;
    enum cua_needs needs = CUA_NEEDS_UNUSUAL;

    /* Where ld.so expands, only the engine can follow. */
    if (!has_token(path))
        needs = cua_needs_open(&file, path) ? cua_needs(&file, is_there) : CUA_NEEDS_UNREADABLE;
    if (needs == CUA_NEEDS_UNREADABLE)
        return false;
    if (needs != CUA_NEEDS_READ && (cua_engine_there() || !cua_object_mapped_path(path)))
        return true;
    /* A relative path may name another file after the next chdir. */
    if (*path == '/')
        cua_see(cua_key(path, length));
    return false;
}

/* Where ld.so searches, only the engine can follow; what it finds is looked at here. */
static bool name_brings(const char *name, size_t length, const void *caller)
{
    struct cua_needs_file file;
    struct cua_answer answer;
    enum cua_needs needs;

    if (cua_name_libc(name) || (!cua_engine_there() && cua_object_mapped(name))) {
        cua_see(cua_key(name, length));
        return false;
    }
    cua_ask_found(name, caller, file.head, sizeof(file.head), &answer);
    if (answer.action != CUA_LOOK) {
        if (answer.final)
            cua_see(cua_key(name, length));
        return false;
    }
    if (answer.file < 0)
        return true;
    file.fd = answer.file;
    file.have = answer.head_have;
    needs = cua_needs(&file, is_there);
    if (needs == CUA_NEEDS_READ)
        cua_see(cua_key(name, length));
    return needs == CUA_NEEDS_STOPPED || needs == CUA_NEEDS_UNUSUAL;
}

bool cua_brings(const char *path, size_t length, const void *caller)
{
    return has_slash(path, length) ? path_brings(path, length) : name_brings(path, length, caller);
}
