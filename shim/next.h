/* SPDX-License-Identifier: Apache-2.0 */
/* The next dlopen and dlmopen, to which the entry stubs jump. */
#ifndef CUA_NEXT_H
#define CUA_NEXT_H

#include "state.h"

/* Finds the next function of this name behind the shim and remembers it. If there is none now, the
 * result is a function that returns NULL. */
void *cua_next_find(_Atomic(void *) *next, const char *name);

static inline void *cua_next_dlopen(void)
{
    void *next = CUA_GET(dlopen);

    return next ? next : cua_next_find(&cua_state.dlopen, "dlopen");
}

static inline void *cua_next_dlmopen(void)
{
    void *next = CUA_GET(dlmopen);

    return next ? next : cua_next_find(&cua_state.dlmopen, "dlmopen");
}

#endif
