/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /etc/ld.so.cache as ld.so does, in both formats. The file may be hostile: every index is
 * checked, and a damaged cache counts as empty. */
#ifndef CUA_CACHE_H
#define CUA_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/ldso.h"
#include "machine/subject.h"

#define CUA_CACHE_FILE "/etc/ld.so.cache"

struct cua_cache {
    /* It is this process's own cache, and `file` is its status when it was read. */
    bool own;
    struct stat file; /* all zero: there was no file, or it could not be read */
    int error;        /* why it is empty: the result of cua_cache_open */
    char *data;
    size_t size;
    const char *strings; /* string indices are counted from here */
    size_t strings_size;
    const char *entries;
    uint32_t count, entry_size;
    const uint32_t *hwcaps; /* indices of strings, counted from the file's start */
    uint32_t hwcap_count;
};

/* Borrows the subject's cache. If the subject has none, or it cannot be read, the result has no
 * entries. NULL: no memory. This process's own cache is kept between questions until the file
 * changes, because reading it costs as much as a whole dlopen. The caller has the cache for itself
 * until cua_cache_give. */
struct cua_cache *cua_cache_take(const struct cua_subject *subject);
void cua_cache_give(struct cua_cache *cache);

/* Reads the subject's cache. 0 or -errno; -ENOEXEC if the file is not a cache. After a failure
 * there is nothing to close, and the cache has no entries. */
int cua_cache_open(struct cua_cache *cache, const struct cua_subject *subject);
void cua_cache_close(struct cua_cache *cache);

/* The same for bytes in memory, which have room for one more and which cua_cache_close will
 * free. */
int cua_cache_parse(struct cua_cache *cache, char *data, size_t size);

/* The file that ld.so would take for `name`; NULL if the cache has none. Belongs to the cache. */
const char *cua_cache_find(const struct cua_cache *cache, struct cua_ldso *ldso, const char *name);

/* Calls `fn` for every file for `name` and the machine, in the cache's order. If `fn` returns
 * non-zero, the walk ends and that is returned. */
int cua_cache_each(const struct cua_cache *cache, const struct cua_ldso *ldso, const char *name,
                   int (*fn)(void *data, const char *file), void *data);

#endif
