/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the table of answers. There is no lock; a fork in the middle of a write loses one place.
 */
#include "answer_cache.h"

#include <stddef.h>

#define WRITING 1

struct cua_place cua_places[CUA_PLACES];

static void write_place(struct cua_place *place, uint64_t key, const char *path)
{
    if (atomic_exchange(&place->key, WRITING) == WRITING)
        return;
    atomic_store_explicit(&place->path, path, memory_order_release);
    atomic_store_explicit(&place->key, key, memory_order_release);
}

void cua_answer_keep(uint64_t key, const char *path)
{
    struct cua_place *own = &cua_places[key % CUA_PLACES];
    uint64_t old = atomic_load_explicit(&own->key, memory_order_relaxed);
    const char *moved;

    /* The new answer takes the first place, the old one moves to its neighbour. */
    if (old != key && old > WRITING && cua_place_read(own, old, &moved))
        write_place(&cua_places[(key % CUA_PLACES) ^ 1], old, moved);
    write_place(own, key, path);
}
