/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/kept_ldcache.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/oldstat.h"

/* Of a larger one every question reads what it needs anew: a program's memory is worth more. */
#define MOST (1u << 20)

struct cua_keptcache {
    struct cua_cache cache;
    struct stat file; /* st_ino 0: there was none */
};

/* Nobody's at the moment: whoever asks takes it away and brings it back, so that a fork in between
 * leaves nothing half done. */
static struct cua_keptcache *_Atomic spare;

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static void drop(struct cua_keptcache *kept)
{
    if (!kept)
        return;
    cua_cache_close(&kept->cache);
    free(kept);
}

struct cua_keptcache *cua_keptcache_take(void)
{
    struct cua_keptcache *kept = atomic_exchange(&spare, NULL);
    struct stat file;
    int error = 0;

    /* Before it is read: what replaces it meanwhile is found to be another file the next time. */
    if (cua_stat(CUA_CACHE_FILE, &file) != 0)
        memset(&file, 0, sizeof file);
    if (kept && is_same(&kept->file, &file))
        return kept;
    drop(kept);
    kept = calloc(1, sizeof *kept);
    if (!kept)
        return NULL;
    if (file.st_ino)
        error = cua_cache_open(&kept->cache, &cua_here);
    /* Without a descriptor or memory now there may be one the next time. */
    if (!error || error == -ENOEXEC)
        kept->file = file;
    return kept;
}

void cua_keptcache_give(struct cua_keptcache *kept)
{
    if (kept && kept->cache.size <= MOST)
        kept = atomic_exchange(&spare, kept);
    drop(kept);
}

const struct cua_cache *cua_keptcache_of(const struct cua_keptcache *kept)
{
    return &kept->cache;
}
