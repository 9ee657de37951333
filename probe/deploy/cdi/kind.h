/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the kind of a CDI specification, VENDOR/CLASS, as the CDI library does. */
#ifndef CUA_CDI_KIND_H
#define CUA_CDI_KIND_H

#include <stddef.h>

/* Returns why engines cannot load a specification of this kind; NULL if they can. */
const char *cua_kind_trouble(const char *kind, size_t length);

#endif
