/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUA_UMD_H
#define CUA_UMD_H

#include "machine/subject.h"
#include "facts/facts.h"
#include <sys/stat.h>

struct cua_umd_key cua_umd_key_of(const struct stat *st);

/* Fills what the file umd->real, which is `st`, tells of itself, and whether its companions lie
 * beside it. A driver for another `machine` than this is refused. */
void cua_umd_identify(struct cua_umd *umd, const struct cua_subject *subject, const struct stat *st,
                      unsigned machine);

#endif
