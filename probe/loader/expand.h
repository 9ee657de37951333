/* SPDX-License-Identifier: Apache-2.0 */
/* Expands $ORIGIN, $LIB and $PLATFORM as ld.so does. */
#ifndef CUA_EXPAND_H
#define CUA_EXPAND_H

#include <stdbool.h>
#include <stddef.h>

#include "loader/ldso.h"

/* Writes to `out` (PATH_MAX bytes) what $ORIGIN means in a file: the folder of the file, as an
 * absolute path; "" if the folder cannot be determined. */
void cua_expand_origin(const char *file, char *out);

/* Expands the first `length` characters of `in`, an element of a search path or a requested name;
 * an empty element becomes ".". The result is "" if `in` contains $ORIGIN and `origin` is "": ld.so
 * skips such an element. False if the result does not fit; then `out` must not be used. */
bool cua_expand(struct cua_ldso *ldso, const char *in, size_t length, const char *origin, char *out,
                size_t size);

/* Expands each element of `list` as cua_expand does, and appends it to `out`, a list joined by ':'.
 * Leaves out an element that expands to "". If an element does not fit although PATH_MAX or more
 * bytes are free, it is too long for a path and is left out. If it does not fit and fewer bytes are
 * free, returns false with `out` unchanged. */
bool cua_expand_list(struct cua_ldso *ldso, const char *list, const char *origin, char *out,
                     size_t size);

#endif
