/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the next dlopen and dlmopen behind the shim. */
#include "next.h"
#include "objects.h"
#include "state.h"
#include "text.h"

struct lookup {
    const char *name;
    void *found;
};

/* Searches behind the shim. A shim that came by dlopen has nothing behind it; of the objects before
 * it only libc is safe, since another preload's dlopen may call the next one, which is the shim. */
static void search_objects(void *arg, uint64_t unloaded)
{
    struct lookup *lookup = arg;
    const struct link_map *map;
    const char *file;
    bool behind = false;

    (void)unloaded;
    for (map = cua_objects(); map && !lookup->found; map = map->l_next) {
        if (behind)
            lookup->found = cua_object_symbol(map, lookup->name);
        behind |= cua_object_is_self(map);
    }
    for (map = cua_objects(); map && !lookup->found; map = map->l_next) {
        file = cua_file(map->l_name);
        if (map == CUA_GET(libc) || cua_same(file, "libdl.so.2"))
            lookup->found = cua_object_symbol(map, lookup->name);
    }
}

/* Before glibc 2.34 a program that does not load libdl has no dlopen, and its weak references to
 * one are NULL. With the shim they lead here. Every caller of dlopen is prepared for a failure.
 * libc's private __libc_dlopen_mode would open the file, but there is no dlsym to use it with. */
static void *no_dlopen(void)
{
    return NULL;
}

void *cua_next_find(_Atomic(void *) *next, const char *name)
{
    struct lookup lookup = {name, NULL};

    cua_objects_hold(search_objects, &lookup);
    atomic_store_explicit(next, lookup.found, memory_order_release);
    return lookup.found ? lookup.found : (void *)no_dlopen;
}
