/* SPDX-License-Identifier: Apache-2.0 */
/* /etc/ld.so.cache, both formats, as ld.so reads it. The file may be hostile: every index is
 * checked, and a damaged cache is one that knows nothing. */
#ifndef CUA_CACHE_H
#define CUA_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/ldso.h"
#include "machine/subject.h"

#define CUA_CACHE_FILE "/etc/ld.so.cache"

struct cua_cache {
    bool own;         /* of this process's own root, and of the file as it was then: */
    struct stat file; /* zeroed: there was none, or it could not be read */
    int error;        /* why it is empty: cua_cache_open's */
    char *data;
    size_t size;
    const char *strings; /* indices count from here */
    size_t strings_size;
    const char *entries;
    uint32_t count, entry_size;
    const uint32_t *hwcaps; /* string indices, counted from the file's start */
    uint32_t hwcap_count;
};

/* The subject's cache, to be given back; one that cannot be read has no entries. NULL: no memory.
 * This process's own is kept from one question to the next, for as long as the file stays as it is:
 * to read it costs as much as a whole dlopen. The caller's alone until it is given back. */
struct cua_cache *cua_cache_take(const struct cua_subject *subject);
void cua_cache_give(struct cua_cache *cache);

/* 0 or -errno; -ENOEXEC for a file that is no cache. After a failure there is nothing to close,
 * and the cache is one without entries. */
int cua_cache_open(struct cua_cache *cache, const struct cua_subject *subject);
void cua_cache_close(struct cua_cache *cache);

/* The same for bytes already in memory, with room for one more, which cua_cache_close will free. */
int cua_cache_parse(struct cua_cache *cache, char *data, size_t size);

/* The file that ld.so would take for `name`; NULL where it has none. Belongs to the cache. */
const char *cua_cache_find(const struct cua_cache *cache, struct cua_ldso *ldso, const char *name);

/* Every file for `name` and the machine, in the cache's order; non-zero from `fn` ends the walk
 * and is returned. */
int cua_cache_each(const struct cua_cache *cache, const struct cua_ldso *ldso, const char *name,
                   int (*fn)(void *data, const char *file), void *data);

#endif
