/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remembers the names of mapped objects by their keys, in the objects' order, so that a process
 * with a thousand libraries does not read a thousand names for each new one. The keys are used only
 * while ld.so's list is held, and dropped once anything was unloaded.
 */
#include "mapped.h"
#include "objects.h"
#include "state.h"
#include "syscalls.h"
#include "text.h"

enum kind { FILES, SONAMES };

/* SONAMEs cost more to find, so they are read only when no file name matches. */
static struct kept {
    uint64_t *keys;
    size_t count, room;
    const struct link_map *last; /* object whose name is kept; NULL: none yet */
    uint64_t unloaded;
    bool has_paths; /* an object so far has search paths; read with the SONAMEs */
    bool busy;      /* a signal handler may ask in the middle */
} kept[2];

struct names {
    uint64_t *keys;
    size_t count, left;
    uint64_t filter; /* a bit for each key */
    bool may_grow;
};

static void strike(struct names *names, uint64_t key)
{
    size_t i;

    if (!(names->filter >> key % 64 & 1))
        return;
    for (i = 0; key && i < names->count; i++) {
        if (names->keys[i] != key)
            continue;
        names->keys[i] = 0;
        names->left--;
    }
}

/* 0: no SONAME, or the file's name again. */
static uint64_t make_key(const struct link_map *map, enum kind kind)
{
    const char *file = cua_file(map->l_name), *soname;

    if (kind == FILES)
        return cua_key(file);
    soname = cua_object_soname(map);
    return soname && !cua_same(soname, file) ? cua_key(soname) : 0;
}

static bool has_room(struct kept *names, bool may_grow)
{
    size_t size = names->room * sizeof(*names->keys);
    uint64_t *more;

    if (names->count < names->room)
        return true;
    more = may_grow ? cua_sys_map(size ? 2 * size : 4096) : NULL;
    if (!more)
        return false;
    cua_mempcpy((char *)more, (const char *)names->keys, size);
    if (size)
        cua_sys_unmap(names->keys, size);
    names->keys = more;
    names->room = size ? 2 * names->room : 4096 / sizeof(*more);
    return true;
}

static void strike_kind(struct names *wanted, enum kind kind, uint64_t unloaded)
{
    const struct link_map *map = cua_objects();
    struct kept *names = &kept[kind];
    bool own = !names->busy, keeps = own;
    uint64_t key;
    size_t i;

    names->busy = true;
    if (keeps && names->unloaded != unloaded) {
        names->unloaded = unloaded;
        names->count = 0;
        names->last = NULL;
        names->has_paths = false;
    }
    if (keeps && names->last)
        map = names->last->l_next;
    for (i = 0; keeps && i < names->count && wanted->left; i++)
        strike(wanted, names->keys[i]);
    for (; map; map = map->l_next) {
        key = make_key(map, kind);
        strike(wanted, key);
        names->has_paths |= kind == SONAMES && cua_object_has_paths(map);
        keeps = keeps && (!key || has_room(names, wanted->may_grow));
        if (keeps && key)
            names->keys[names->count++] = key;
        if (keeps)
            names->last = map;
    }
    names->busy = !own;
}

static void strike_mapped(void *arg, uint64_t unloaded)
{
    struct names *wanted = arg;

    strike_kind(wanted, FILES, unloaded);
    if (wanted->left || (wanted->may_grow && kept[SONAMES].last))
        strike_kind(wanted, SONAMES, unloaded);
}

bool cua_are_mapped(uint64_t *keys, size_t count, bool may_grow)
{
    struct names names = {keys, count, 0, 0, may_grow};
    size_t i;

    for (i = 0; i < count; i++) {
        names.filter |= 1ull << keys[i] % 64;
        names.left += keys[i] != 0;
    }
    if (names.left || may_grow)
        cua_objects_hold(strike_mapped, &names);
    return !names.left;
}

bool cua_mapped_has_paths(void)
{
    return kept[SONAMES].has_paths;
}

bool cua_is_mapped(const char *name)
{
    uint64_t key = cua_key(name);

    return cua_are_mapped(&key, 1, false);
}

struct path {
    const char *text;
    struct names file;
    bool found;
};

static void find_path(void *arg, uint64_t unloaded)
{
    struct path *path = arg;
    const struct link_map *map;

    strike_kind(&path->file, FILES, unloaded);
    if (path->file.left)
        return;
    for (map = cua_objects(); map && !path->found; map = map->l_next)
        path->found = cua_same(map->l_name, path->text);
}

bool cua_path_is_mapped(const char *path)
{
    uint64_t key = cua_key(cua_file(path));
    struct path whole = {path, {&key, 1, 1, 1ull << key % 64, CUA_GET(present) > 0}, false};

    cua_objects_hold(find_path, &whole);
    return whole.found;
}
