/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of mapped objects are kept by their keys, in the objects' order, so that a process with
 * a thousand libraries does not read a thousand names for each new one. All that is kept is touched
 * only while the list is held, and forgotten as soon as anything was unloaded.
 */
#include "mapped.h"
#include "objects.h"
#include "state.h"
#include "syscalls.h"
#include "text.h"

enum kind { FILES, SONAMES };

/* The SONAMEs cost more to find, and are asked for only where a file's name is not the answer. */
static struct kept {
    uint64_t first[40];
    uint64_t *more; /* instead of the first */
    size_t count, room;
    const struct link_map *last; /* whose name is kept; NULL: none is */
    uint64_t unloaded;
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
    size_t length = cua_length(map->l_name);
    const char *file = cua_file(map->l_name, length), *soname;

    if (kind == FILES)
        return cua_key(file, length - (size_t)(file - map->l_name));
    soname = cua_object_soname(map);
    return soname && !cua_same(soname, file) ? cua_key(soname, cua_length(soname)) : 0;
}

static bool has_room(struct kept *names, bool may_grow)
{
    size_t room = names->more ? names->room : sizeof(names->first) / sizeof(*names->first);
    uint64_t *more;

    if (names->count < room)
        return true;
    more = may_grow ? cua_sys_map(2 * room * sizeof(*more)) : NULL;
    if (!more)
        return false;
    cua_put((char *)more, (const char *)(names->more ? names->more : names->first),
            room * sizeof(*more));
    if (names->more)
        cua_sys_unmap(names->more, room * sizeof(*more));
    names->more = more;
    names->room = 2 * room;
    return true;
}

static void strike_kind(struct names *wanted, enum kind kind, uint64_t unloaded)
{
    struct kept *names = &kept[kind];
    const uint64_t *keys = names->more ? names->more : names->first;
    const struct link_map *map;
    bool keeps = true;
    uint64_t key;
    size_t i;

    if (names->unloaded != unloaded) {
        names->unloaded = unloaded;
        names->count = 0;
        names->last = NULL;
    }
    for (i = 0; i < names->count && wanted->left; i++)
        if (wanted->filter >> keys[i] % 64 & 1)
            strike(wanted, keys[i]);
    for (map = names->last ? names->last->l_next : cua_objects(); map; map = map->l_next) {
        key = make_key(map, kind);
        strike(wanted, key);
        keeps = keeps && (!key || has_room(names, wanted->may_grow));
        if (!keeps)
            continue;
        if (key)
            (names->more ? names->more : names->first)[names->count++] = key;
        names->last = map;
    }
}

static void strike_mapped(void *arg, uint64_t unloaded)
{
    static bool busy; /* a signal handler opens something in the middle */
    struct names *wanted = arg;
    const struct link_map *map;

    if (busy) {
        for (map = cua_objects(); map; map = map->l_next) {
            strike(wanted, make_key(map, FILES));
            strike(wanted, make_key(map, SONAMES));
        }
        return;
    }
    busy = true;
    strike_kind(wanted, FILES, unloaded);
    if (wanted->left || (wanted->may_grow && kept[SONAMES].last))
        strike_kind(wanted, SONAMES, unloaded);
    busy = false;
}

static bool strike_all(uint64_t *keys, size_t count, bool may_grow)
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

bool cua_mapped_all(uint64_t *keys, size_t count)
{
    return strike_all(keys, count, true);
}

bool cua_mapped(const char *name)
{
    uint64_t key = cua_key(name, cua_length(name));

    return strike_all(&key, 1, false);
}

struct path {
    const char *text;
    size_t length;
    const struct link_map *last; /* to look at; NULL: all */
    bool found;
};

static void find_path(void *arg, uint64_t unloaded)
{
    struct path *path = arg;
    const struct link_map *map;

    (void)unloaded;
    for (map = cua_objects(); map && !path->found; map = map == path->last ? NULL : map->l_next)
        path->found = cua_length(map->l_name) == path->length && cua_same(map->l_name, path->text);
}

bool cua_mapped_path(const char *path, bool later)
{
    struct path whole = {path, cua_length(path), later ? NULL : CUA_GET(last), false};

    cua_objects_hold(find_path, &whole);
    return whole.found;
}

static void find_libcuda(void *arg, uint64_t unloaded)
{
    const struct link_map *map;
    const char *soname;

    (void)unloaded;
    for (map = cua_objects(); map && !*(bool *)arg; map = map->l_next) {
        soname = cua_object_soname(map);
        *(bool *)arg = soname && cua_starts(soname, "libcuda.so.1");
    }
}

bool cua_mapped_libcuda(void)
{
    bool found = false;

    cua_objects_hold(find_libcuda, &found);
    return found;
}
