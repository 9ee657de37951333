/* SPDX-License-Identifier: Apache-2.0 */
/* The GNU build id of a libcuda, for display. */
#ifndef CUA_BUILD_ID_H
#define CUA_BUILD_ID_H

#include "facts/facts.h"
#include "machine/subject.h"

/* Size of a text for an ID of up to 20 bytes, in hexadecimal digits. */
#define CUA_BUILD_ID 41

/* Opens umd->real, reads the build ID and writes it to `id` (CUA_BUILD_ID bytes); "" if the file
 * has none. Returns `id`. */
const char *cua_build_id(const struct cua_umd *umd, const struct cua_subject *subject, char *id);

#endif
