/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What became of requests, so that nearly every repeated one ends at once. A small table that
 * forgets: an answer lies in its own place or in that place's neighbour. The key says who asked and
 * how much had been unloaded by then, so nothing outlives a dlclose.
 */
#ifndef CUA_KNOWN_H
#define CUA_KNOWN_H

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
    /* Somebody may have begun to write in between. */
    return atomic_load_explicit(&place->key, memory_order_relaxed) == key;
}

/* The answer: what to open, NULL for the request as it is. False: there is none. */
static inline bool cua_known(uint64_t key, const char **path)
{
    uint64_t at = key % CUA_PLACES;

    return cua_place_read(&cua_places[at], key, path) ||
           cua_place_read(&cua_places[at ^ 1], key, path);
}

/* `path` must live for ever. */
void cua_know(uint64_t key, const char *path);

#endif
