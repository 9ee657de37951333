/* SPDX-License-Identifier: Apache-2.0 */
/* This machine's ld.so.cache from one question to the next, for as long as the file stays as it is:
 * to read it costs as much as a whole dlopen. */
#ifndef CUA_KEPTCACHE_H
#define CUA_KEPTCACHE_H

#include "loader/ldcache.h"

struct cua_keptcache;

/* NULL: not now; a cache that cannot be read has no entries. The caller's alone until it is given
 * back. Reads the file of this process's own root, whatever a subject says. */
struct cua_keptcache *cua_keptcache_take(void);
void cua_keptcache_give(struct cua_keptcache *kept);

const struct cua_cache *cua_keptcache_of(const struct cua_keptcache *kept);

#endif
