/* SPDX-License-Identifier: Apache-2.0 */
/* Expands $ORIGIN, $LIB and $PLATFORM as ld.so does. */
#ifndef CUA_EXPAND_H
#define CUA_EXPAND_H

#include <stdbool.h>
#include <stddef.h>

#include "loader/ldso.h"

/* Writes the folder that $ORIGIN means for a file to `out` (PATH_MAX bytes). It is never relative;
 * "" if it cannot be known. */
void cua_expand_origin(const char *file, char *out);

/* Expands the first `length` characters of `in`; an empty text becomes ".". The result is "" if the
 * origin is not known, in which case ld.so drops the text. False, with `out` undefined, if it does
 * not fit. */
bool cua_expand(struct cua_ldso *ldso, const char *in, size_t length, const char *origin, char *out,
                size_t size);

/* Expands each element of `list` as above, and appends it to `out`, a list joined by ':'. Elements
 * that expand to "" are left out. False, with `out` unchanged, if it does not fit. */
bool cua_expand_list(struct cua_ldso *ldso, const char *list, const char *origin, char *out,
                     size_t size);

#endif
