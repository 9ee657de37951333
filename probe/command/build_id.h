/* SPDX-License-Identifier: Apache-2.0 */
/* The GNU build id of a libcuda, for display. */
#ifndef CUA_BUILD_ID_H
#define CUA_BUILD_ID_H

#include "facts/facts.h"
#include "machine/subject.h"

/* In hex, of up to 20 bytes. */
#define CUA_BUILD_ID 41

/* Reads the file umd->real anew; `id` has CUA_BUILD_ID bytes and is "" where there is none. Returns
 * id. */
const char *cua_build_id(const struct cua_umd *umd, const struct cua_subject *subject, char *id);

#endif
