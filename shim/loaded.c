/* SPDX-License-Identifier: Apache-2.0 */
/* Asks ld.so by dlopen with RTLD_NOLOAD, and stores the object's address. From glibc 2.35 on, later
 * calls ask _dl_find_object what is at that address now. That takes no lock and a fraction of the
 * time. */
#include "loaded.h"

#include <dlfcn.h>

#include "objects.h"
#include "text.h"

/* struct dl_find_object, which _dl_find_object fills in, as in glibc's dlfcn.h on x86-64 and
 * aarch64. */
struct found {
    unsigned long long flags;
    uintptr_t start, end;
    uintptr_t map, frame;
    unsigned long long more[8];
};

#define PLACES 8
#define FACTOR 0x9e3779b97f4a7c15ull
/* A cache of the objects found last; the caller's key selects the place. Threads store `start` and
 * `check` of a place one after the other, without a lock. If the two come from different objects,
 * `check` does not match, and ld.so is asked. */
static struct {
    _Atomic(uintptr_t) start; /* where the object begins; 0: nothing stored */
    _Atomic(uint64_t) check;  /* a hash of the key and of what _dl_find_object says */
} places[PLACES];

static uint64_t mix(uint64_t key, const struct found *found)
{
    key = (key ^ found->start) * FACTOR;
    key = (key ^ found->end) * FACTOR;
    key = (key ^ found->map) * FACTOR;
    return (key ^ found->frame) * FACTOR;
}

static int find_nothing(uintptr_t at, struct found *found)
{
    (void)at;
    (void)found;
    return -1;
}

static bool find(uintptr_t at, struct found *found)
{
    static _Atomic(void *) finder;
    void *function = atomic_load(&finder);

    if (!function) {
        function = cua_first_symbol("_dl_find_object") ?: (void *)find_nothing;
        atomic_store(&finder, function);
    }
    return ((int (*)(uintptr_t, struct found *))function)(at, found) == 0;
}

/* If _dl_find_object does not exist (before glibc 2.35) or finds nothing, this calls dladdr1, which
 * takes ld.so's lock. */
const struct link_map *cua_object_around(const void *address)
{
    typedef int finder(const void *, Dl_info *, void **, int);
    static _Atomic(void *) dladdr_1;
    struct found found;
    void *map = NULL;
    Dl_info info;

    if (find((uintptr_t)address, &found))
        return (const struct link_map *)found.map;
    if (!dladdr_1)
        dladdr_1 = cua_find_libcs("dladdr1");
    return dladdr_1 && ((finder *)dladdr_1)(address, &info, &map, 2 /* RTLD_DL_LINKMAP */) ? map
                                                                                           : NULL;
}

uint64_t cua_object_identity(const struct link_map *object)
{
    return ((cua_key(object->l_name) ^ object->l_addr) * FACTOR ^ (uintptr_t)object->l_ld) * FACTOR;
}

bool cua_is_loaded(const char *name, uint64_t key)
{
    const size_t place = (key ^ key >> 20 ^ key >> 40) % PLACES;
    const uintptr_t start = atomic_load(&places[place].start);
    static _Atomic(void *) own[2];
    const struct link_map *handle;
    struct found found;

    if (start && find(start, &found) && mix(key, &found) == atomic_load(&places[place].check))
        return true;
    if (!own[0] || !own[1]) {
        own[0] = cua_find_libcs("dlopen");
        own[1] = cua_find_libcs("dlclose");
    }
    if (!own[0] || !own[1])
        return false;
    handle = ((void *(*)(const char *, int))own[0])(name, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return false;
    if (find((uintptr_t)handle->l_ld, &found)) {
        atomic_store(&places[place].start, found.start);
        atomic_store(&places[place].check, mix(key, &found));
    }
    ((int (*)(const void *))own[1])(handle);
    return true;
}
