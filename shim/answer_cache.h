/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answers to earlier requests, so that nearly every repeated one ends at once. The table is
 * small and forgets: an answer lies in its own place or in the neighbouring one. A key includes the
 * caller, and for all but libc's own libraries the number of objects unloaded so far: no answer
 * outlives a dlclose.
 */
#ifndef CUA_ANSWER_CACHE_H
#define CUA_ANSWER_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CUA_PLACES 128

struct cua_place {
    _Atomic(uint64_t) key; /* 0: free, 1: being written */
    _Atomic(const char *) path;
};
extern struct cua_place cua_places[CUA_PLACES];

static inline bool cua_place_read(const struct cua_place *place, uint64_t key, const char **path)
{
    if (atomic_load_explicit(&place->key, memory_order_acquire) != key)
        return false;
    *path = atomic_load_explicit(&place->path, memory_order_acquire);
    /* Another thread may have begun to write in between. */
    return atomic_load_explicit(&place->key, memory_order_relaxed) == key;
}

/* Sets `path` to what to open, NULL for the request as it is. False if no answer is kept. */
static inline bool cua_answer_find(uint64_t key, const char **path)
{
    uint64_t at = key % CUA_PLACES;

    return cua_place_read(&cua_places[at], key, path) ||
           cua_place_read(&cua_places[at ^ 1], key, path);
}

/* `path` must live as long as the process. */
void cua_answer_keep(uint64_t key, const char *path);

#endif
