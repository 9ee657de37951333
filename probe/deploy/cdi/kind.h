/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the kind of a CDI specification, VENDOR/CLASS, by the rules of the CDI library with which
 * engines read specifications. */
#ifndef CUA_CDI_KIND_H
#define CUA_CDI_KIND_H

#include <stddef.h>

/* Checks the first `length` characters of `kind`. Returns NULL if a specification of this kind can
 * be used. Otherwise returns the reason: no engine loads the specification, or Docker 26 panics
 * when it reads it. */
const char *cua_kind_trouble(const char *kind, size_t length);

#endif
