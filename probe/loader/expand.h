/* SPDX-License-Identifier: Apache-2.0 */
/* $ORIGIN, $LIB and $PLATFORM, as ld.so puts in for them. */
#ifndef CUA_EXPAND_H
#define CUA_EXPAND_H

#include <stdbool.h>
#include <stddef.h>

#include "loader/ldso.h"

/* The first `length` characters of `in`. "" where ld.so would leave them out, because their origin
 * is not known; false, and anything in `out`, where it does not fit. */
bool cua_expand(struct cua_ldso *ldso, const char *in, size_t length, const char *origin, char *out,
                size_t size);

/* The same for an element of a list, which is "." where it is empty. */
bool cua_expand_folder(struct cua_ldso *ldso, const char *in, size_t length, const char *origin,
                       char *out, size_t size);

/* A list joined by ':', each element as above; what is left out is left out. False where it does
 * not fit. */
bool cua_expand_list(struct cua_ldso *ldso, const char *list, const char *origin, char *out,
                     size_t size);

#endif
