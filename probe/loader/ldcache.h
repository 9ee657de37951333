/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /etc/ld.so.cache as ld.so does, in both formats. The file may be hostile: every index is
 * checked, and a damaged cache counts as empty. The subject is the process that is examined
 * (machine/subject.h). */
#ifndef CUA_CACHE_H
#define CUA_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/ldso.h"
#include "machine/subject.h"

#define CUA_CACHE_FILE "/etc/ld.so.cache"

struct cua_cache {
    /* True: this is the cache of this process itself, which cua_cache_give may keep in memory. */
    bool own;
    struct stat file; /* stat of the file when it was read; all zero: it could not be read */
    int error;        /* result of cua_cache_open; if it is not 0, the cache is empty */
    char *data;
    size_t size;
    const char *strings; /* the offsets of texts in the entries count from here */
    size_t strings_size;
    const char *entries;
    uint32_t count, entry_size;
    const uint32_t *hwcaps; /* names of glibc-hwcaps folders, as offsets from the file's start */
    uint32_t hwcap_count;
};

/* Returns the subject's cache. No other thread uses it until cua_cache_give gets it back. If the
 * subject has no cache, or the file cannot be read, the result has no entries. NULL: no memory. */
struct cua_cache *cua_cache_take(const struct cua_subject *subject);
/* Takes the cache back; accepts NULL. Keeps this process's own cache in memory until the file
 * changes, because reading it costs as much as a whole dlopen. Frees any other cache, one that is
 * large, and one whose file exists but could not be read. */
void cua_cache_give(struct cua_cache *cache);

/* Reads the subject's cache. Returns 0 or -errno; -ENOEXEC if the file is not a cache. After a
 * failure there is nothing to close, and the cache has no entries. */
int cua_cache_open(struct cua_cache *cache, const struct cua_subject *subject);
void cua_cache_close(struct cua_cache *cache);

/* Reads a cache from memory. `data` must have room for one more byte; cua_cache_close frees it.
 * Returns 0 or -ENOEXEC; after a failure `data` has been freed. */
int cua_cache_parse(struct cua_cache *cache, char *data, size_t size);

/* The path of the file that ld.so would take for `name`; NULL if the cache has none. Belongs to the
 * cache. */
const char *cua_cache_find(const struct cua_cache *cache, struct cua_ldso *ldso, const char *name);

/* Calls `fn` for every file that the cache has for `name` and the machine type of `ldso`, in the
 * cache's order. If `fn` returns non-zero, the walk ends and returns that value. */
int cua_cache_each(const struct cua_cache *cache, const struct cua_ldso *ldso, const char *name,
                   int (*fn)(void *data, const char *file), void *data);

#endif
