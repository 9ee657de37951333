/* SPDX-License-Identifier: Apache-2.0 */
/* One search of ld.so after the other, with what they share: the cache, the default folders. */
#ifndef CUA_SEARCH_H
#define CUA_SEARCH_H

#include <limits.h>

#include "loader/ldcache.h"
#include "loader/ldso.h"
#include "loader/loader.h"
#include "machine/subject.h"

struct cua_search {
    const struct cua_subject *subject;
    struct cua_ldso ldso;
    struct cua_cache *cache; /* NULL: not asked yet */
    int fd;           /* of the file that was found last; -1: none, or somebody took it over */
    unsigned folders; /* that were looked into */
    bool unsure;      /* something could not be asked that ld.so may find a moment later */
    char *program; /* folder of the program, $ORIGIN of LD_LIBRARY_PATH; NULL: none, or unknown */
    /* Of the search that is going on. Too large for the stack of somebody's thread. */
    char named[PATH_MAX], folder[PATH_MAX], file[PATH_MAX], subfolder[PATH_MAX];
};

void cua_search_start(struct cua_search *search, const struct cua_subject *subject);
void cua_search_end(struct cua_search *search);

/* On whose behalf. */
struct cua_search_for {
    const char *const *rpath; /* lists joined by ':', expanded; NULL at the end */
    const char *runpath;      /* the same; NULL: none, and then the rpaths count */
    const char *origin;       /* for names with a slash */
};

/* `out` (PATH_MAX) receives what ld.so would open, as this process can open it. 0 or -ENOENT. */
int cua_search_find(struct cua_search *search, const struct cua_search_for *requester,
                    const char *name, char *out);

#endif
