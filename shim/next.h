/* SPDX-License-Identifier: Apache-2.0 */
/* The next dlopen and dlmopen, to which the entry stubs jump. */
#ifndef CUA_NEXT_H
#define CUA_NEXT_H

#include "state.h"

/* Finds the next function of this name behind the shim and remembers it. If there is none now, the
 * result is a function that returns NULL. */
void *cua_next_find(_Atomic(void *) *next, const char *name);

/* The next dlopen or dlmopen, as it is remembered or found. */
#define CUA_NEXT(name) (CUA_GET(name) ?: cua_next_find(&cua_state.name, #name))

#endif
