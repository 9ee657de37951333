/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUA_UMD_H
#define CUA_UMD_H

#include <sys/stat.h>

#include "facts/facts.h"
#include "machine/subject.h"

/* Fills what the file umd->real, which is `st`, tells of itself, and whether its companions lie
 * beside it. A driver for another `machine` than this is refused. */
void cua_umd_identify(struct cua_umd *umd, const struct cua_subject *subject, const struct stat *st,
                      unsigned machine);

#endif
