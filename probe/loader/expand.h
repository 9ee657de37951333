/* SPDX-License-Identifier: Apache-2.0 */
/* $ORIGIN, $LIB and $PLATFORM, as ld.so puts in for them. */
#ifndef CUA_EXPAND_H
#define CUA_EXPAND_H

#include <stdbool.h>
#include <stddef.h>

#include "loader/ldso.h"

/* The folder of a file for $ORIGIN, never relative; "" where it cannot be known. `out`: PATH_MAX.
 */
void cua_expand_origin(const char *file, char *out);

/* The first `length` characters of `in`; "." where there are none. "" where ld.so would leave them
 * out, because their origin is not known; false, and anything in `out`, where it does not fit. */
bool cua_expand(struct cua_ldso *ldso, const char *in, size_t length, const char *origin, char *out,
                size_t size);

/* Appends to a list joined by ':' what another one expands to, each element as above; what is left
 * out is left out. False, and `out` as it was, where it does not fit. */
bool cua_expand_list(struct cua_ldso *ldso, const char *list, const char *origin, char *out,
                     size_t size);

#endif
