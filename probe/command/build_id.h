/* SPDX-License-Identifier: Apache-2.0 */
/* The GNU build ID (an ELF note) of a libcuda, for display. */
#ifndef CUA_BUILD_ID_H
#define CUA_BUILD_ID_H

#include "facts/facts.h"
#include "machine/subject.h"

/* Size of a buffer for an ID of at most 20 bytes as hexadecimal digits. */
#define CUA_BUILD_ID 41

/* Reads the build ID of the file umd->real and writes it to `id` (CUA_BUILD_ID bytes); "" if the
 * file cannot be read, or has no ID of at most 20 bytes. Returns `id`. */
const char *cua_build_id(const struct cua_umd *umd, const struct cua_subject *subject, char *id);

#endif
