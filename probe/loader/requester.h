/* SPDX-License-Identifier: Apache-2.0 */
/* On whose behalf ld.so searches: the paths that the requesting object brings along. */
#ifndef CUA_REQUESTER_H
#define CUA_REQUESTER_H

#include <limits.h>
#include <stdbool.h>

#include "loader/ldso.h"

/* Too large for a thread's stack. */
struct cua_requester {
    bool
        runpath; /* `list` is its DT_RUNPATH; else the DT_RPATH of it and of those that loaded it */
    char list[4 * PATH_MAX]; /* joined by ':', expanded; empty elements are skipped */
    char origin[PATH_MAX];   /* its folder, for $ORIGIN in a name; "" where nobody needs it */
};

/* Adds a list of the object `file` to the requester's; what does not fit is left out as a whole.
 * `origin` is the folder of `file` then. */
void cua_requester_add(struct cua_requester *requester, struct cua_ldso *ldso, const char *file,
                       const char *list);

/* The requester for a mapped object of this process that `address` lies in (NULL or unknown: the
 * main program), which asks for `name`. */
void cua_requester_mapped(struct cua_requester *requester, const void *address, const char *name);

#endif
