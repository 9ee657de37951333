/* SPDX-License-Identifier: Apache-2.0 */
#include "known.h"

#include "loaded.h"
#include "objects.h"
#include "syscalls.h"
#include "text.h"

/* A hash table of keys, at most half full. When it grows, the old table stays mapped, since another
 * thread may be reading it. */
struct keys {
    uint64_t room; /* a power of two */
    _Atomic(uint64_t) count;
    _Atomic(uint64_t) key[];
};
static _Atomic(struct keys *) keys;

static bool add(struct keys *table, uint64_t key)
{
    uint64_t at = key, found;

    for (;; at++) {
        found = 0;
        if (atomic_compare_exchange_strong(&table->key[at & (table->room - 1)], &found, key)) {
            atomic_fetch_add(&table->count, 1);
            return true;
        }
        if (found == key)
            return false;
    }
}

static struct keys *make(uint64_t room)
{
    struct keys *table = cua_sys_map(sizeof(*table) + room * sizeof(uint64_t));

    if (table)
        table->room = room;
    return table;
}

/* Makes the first table, with the names of the objects that were loaded when the program started.
 * Loading one of them again brings in nothing new, since all libraries that they need are loaded,
 * too. */
static struct keys *begin(void)
{
    const struct link_map *map;
    struct keys *table, *none = NULL;
    uint64_t objects = 0, room = 256;
    const char *soname;

    for (map = cua_objects(); map; map = cua_object_next(map))
        objects++;
    while (room < 4 * objects + 64)
        room *= 2;
    table = make(room);
    for (map = cua_objects(); table && map; map = cua_object_next(map)) {
        soname = cua_object_text(map, DT_SONAME);
        add(table, cua_key(cua_file(map->l_name)));
        if (soname)
            add(table, cua_key(soname));
    }
    if (table && !atomic_compare_exchange_strong(&keys, &none, table))
        cua_sys_unmap(table, sizeof(*table) + room * sizeof(uint64_t));
    return atomic_load(&keys);
}

static struct keys *grow(struct keys *old)
{
    struct keys *more = make(old->room * 2), *seen = old;
    uint64_t i;

    for (i = 0; more && i < old->room; i++)
        if (old->key[i])
            add(more, old->key[i]);
    if (more && !atomic_compare_exchange_strong(&keys, &seen, more))
        cua_sys_unmap(more, sizeof(*more) + more->room * sizeof(uint64_t));
    return atomic_load(&keys);
}

bool cua_is_known(uint64_t key)
{
    struct keys *table = atomic_load(&keys) ?: begin();
    uint64_t at = key, found;

    while (table && (found = table->key[at++ & (table->room - 1)]))
        if (found == key)
            return true;
    return false;
}

void cua_know(uint64_t key)
{
    struct keys *table = atomic_load(&keys) ?: begin();

    if (table && 2 * (table->count + 1) > table->room)
        table = grow(table);
    if (table && 2 * table->count < table->room)
        add(table, key);
}

/* The cache of rows. It is small, so new rows displace old ones. A row is in the place that the
 * hash of its key gives, or in that place's neighbour. Threads store the two words of a place one
 * after the other, without a lock. If the words come from different rows, the key computed from
 * them matches no request. */
#define PLACES 128
#define FACTOR 0x9e3779b97f4a7c15ull
static struct place {
    _Atomic(uint64_t) check; /* the row's key ^ the address `row` * FACTOR */
    _Atomic(const struct cua_row *) row;
} places[PLACES];

static uint64_t key_of(const struct place *place, const struct cua_row **row)
{
    *row = atomic_load_explicit(&place->row, memory_order_acquire);
    return atomic_load_explicit(&place->check, memory_order_relaxed) ^ (uintptr_t)*row * FACTOR;
}

/* Mixes in the upper bits, because the keys of two callers for one name differ only there. */
static inline uint64_t place_of(uint64_t key)
{
    return (key ^ key >> 20 ^ key >> 40) % PLACES;
}

const struct cua_row *cua_row_find(uint64_t key)
{
    const uint64_t at = place_of(key);
    const struct cua_row *row;

    if (key_of(&places[at], &row) == key || key_of(&places[at ^ 1], &row) == key)
        return row;
    return NULL;
}

static void write_place(struct place *place, uint64_t key, const struct cua_row *row)
{
    atomic_store_explicit(&place->check, key ^ (uintptr_t)row * FACTOR, memory_order_relaxed);
    atomic_store_explicit(&place->row, row, memory_order_release);
}

void cua_row_keep(uint64_t key, const struct cua_row *row)
{
    struct place *own = &places[place_of(key)];
    const struct cua_row *moved;
    uint64_t old = key_of(own, &moved);

    if (moved && old != key)
        write_place(&places[place_of(key) ^ 1], old, moved);
    write_place(own, key, row);
}

void cua_rows_drop_companions(void)
{
    const struct cua_row *row;
    size_t i;

    for (i = 0; i < PLACES; i++) {
        row = atomic_load(&places[i].row);
        if (row && row->companion)
            atomic_compare_exchange_strong(&places[i].row, &row, NULL);
    }
}

bool cua_row_is_file(const struct cua_row *row)
{
    struct stat st;

    return !cua_sys_stat(row->path, &st) && st.st_dev == row->device && st.st_ino == row->inode;
}

/* If the file is loaded by this path, ld.so does not open it again. So this does not look at the
 * file, which may be on a network file system. */
bool cua_row_holds(const struct cua_row *row)
{
    return !row->path || cua_is_loaded(row->path, (uintptr_t)row->path) || cua_row_is_file(row);
}
