/* SPDX-License-Identifier: Apache-2.0 */
/* The object on whose behalf ld.so searches for a library, and the search paths that this object
 * adds to the search. */
#ifndef CUA_REQUESTER_H
#define CUA_REQUESTER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "loader/ldso.h"

/* Too large for a thread's stack, so it must be allocated or static. */
struct cua_requester {
    /* True: `list` is the object's DT_RUNPATH. False: it is the DT_RPATHs of the object and of
     * those that loaded it. */
    bool runpath;
    char list[32 * PATH_MAX]; /* expanded paths joined by ':'; a search skips empty elements */
    /* The object's folder, for $ORIGIN in the requested name. Undefined if that name has no
     * $ORIGIN. */
    char origin[PATH_MAX];
};

/* Adds `list`, unexpanded search paths of the object `file`, to the requester's list. If they do
 * not fit, none is added. Sets `origin` to the folder of `file`. */
void cua_requester_add(struct cua_requester *requester, struct cua_ldso *ldso, const char *file,
                       const char *list);

/* Sets the requester to the object that has this index in the list of mapped objects (mapped.h), or
 * to the program if there is no such index. `name`: the library that the object requests. */
void cua_requester_mapped(struct cua_requester *requester, size_t index, const char *name);

#endif
