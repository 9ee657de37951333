/* SPDX-License-Identifier: Apache-2.0 */
/* Remembers the names of mapped objects by their keys, in a table, so that a process with a
 * thousand libraries does not read a thousand names for each new one, and holds the list only
 * shortly. The table is used only while ld.so's list is held, and emptied once anything was
 * unloaded. */
#include "mapped.h"
#include "objects.h"
#include "state.h"
#include "syscalls.h"
#include "text.h"

struct kept_name {
    uint64_t key; /* of the file's name or of the SONAME; 0: free */
    const struct link_map *map;
};

static struct kept_names {
    struct kept_name *entries;
    size_t count, room;          /* at most half of it is used; a power of two */
    const struct link_map *last; /* object whose names are kept; NULL: none yet */
    uint64_t unloaded;
    bool has_paths; /* an object has search paths */
    bool busy;      /* a signal handler may ask in the middle */
} kept;

struct names {
    uint64_t *keys;
    size_t count, left;
    bool may_grow;
};

static void strike(struct names *names, uint64_t key)
{
    size_t i;

    for (i = 0; key && i < names->count; i++)
        if (names->keys[i] == key) {
            names->keys[i] = 0;
            names->left--;
        }
}

/* The first entry with this key from `at` on, or the free one behind all that may have it. */
static struct kept_name *find(const struct kept_names *table, uint64_t key, uint64_t *at)
{
    struct kept_name *entry;

    do
        entry = table->entries + ((*at)++ & (table->room - 1));
    while (entry->key && entry->key != key);
    return entry;
}

static void insert(struct kept_names *table, uint64_t key, const struct link_map *map)
{
    uint64_t at = key;

    *find(table, 0, &at) = (struct kept_name){key, map};
    table->count++;
}

/* For one object, which has two names at most. */
static bool has_room(bool may_grow)
{
    struct kept_names more = kept;
    size_t i;

    if (2 * (kept.count + 2) <= kept.room)
        return true;
    more.room = kept.room ? 2 * kept.room : 4096 / sizeof(struct kept_name);
    more.entries = may_grow ? cua_sys_map(more.room * sizeof(struct kept_name)) : NULL;
    if (!more.entries)
        return false;
    for (more.count = i = 0; i < kept.room; i++)
        if (kept.entries[i].key)
            insert(&more, kept.entries[i].key, kept.entries[i].map);
    cua_sys_unmap(kept.entries, kept.room * sizeof(struct kept_name));
    kept = more;
    return true;
}

static void forget(uint64_t unloaded)
{
    size_t i;

    for (i = 0; i < kept.room; i++)
        kept.entries[i].key = 0;
    kept.unloaded = unloaded;
    kept.count = 0;
    kept.last = NULL;
    kept.has_paths = false;
}

static int strike_mapped(struct dl_phdr_info *object, size_t size, void *arg)
{
    const uint64_t unloaded = cua_objects_unloaded_by(object);
    const struct link_map *map = cua_objects();
    bool own = !kept.busy, keeps = own;
    struct names *wanted = arg;
    const char *file, *soname;
    uint64_t key, other, at;
    size_t i;

    kept.busy = true;
    if (keeps && kept.unloaded != unloaded)
        forget(unloaded);
    if (keeps && kept.last)
        map = kept.last->l_next;
    for (i = 0; keeps && kept.last && i < wanted->count; i++) {
        at = wanted->keys[i];
        if (find(&kept, wanted->keys[i], &at)->key)
            strike(wanted, wanted->keys[i]);
    }
    for (; map; map = map->l_next) {
        file = cua_file(map->l_name);
        soname = cua_object_soname(map);
        key = cua_key(file);
        other = soname && !cua_same(soname, file) ? cua_key(soname) : 0;
        strike(wanted, key);
        strike(wanted, other);
        kept.has_paths |= cua_object_has_paths(map);
        keeps = keeps && has_room(wanted->may_grow);
        if (!keeps)
            continue;
        insert(&kept, key, map);
        if (other)
            insert(&kept, other, map);
        kept.last = map;
    }
    kept.busy = !own;
    (void)size;
    return 1;
}

bool cua_are_mapped(uint64_t *keys, size_t count, bool may_grow)
{
    struct names names = {keys, count, 0, may_grow};
    size_t i;

    for (i = 0; i < count; i++)
        names.left += keys[i] != 0;
    if (names.left || may_grow)
        cua_objects_hold(strike_mapped, &names);
    return !names.left;
}

bool cua_mapped_has_paths(void)
{
    return kept.has_paths;
}

bool cua_is_mapped(const char *name)
{
    uint64_t key = cua_key(name);

    return cua_are_mapped(&key, 1, false);
}

struct path {
    const char *text;
    bool found;
};

static int find_path(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct path *path = arg;
    const uint64_t key = cua_key(cua_file(path->text));
    const struct link_map *map = cua_objects();
    uint64_t wanted = key, at = key;
    struct names names = {&wanted, 1, 1, false};
    const struct kept_name *entry;
    bool own = !kept.busy;

    strike_mapped(object, size, &names);
    if (own && kept.last && !kept.last->l_next) {
        while (!path->found && (entry = find(&kept, key, &at))->key)
            path->found = cua_same(entry->map->l_name, path->text);
        return 1;
    }
    for (; map && !names.left && !path->found; map = map->l_next)
        path->found = cua_same(map->l_name, path->text);
    return 1;
}

bool cua_path_is_mapped(const char *path)
{
    struct path whole = {path, false};

    cua_objects_hold(find_path, &whole);
    return whole.found;
}
