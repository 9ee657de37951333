/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies a libcuda by its content, and by its name where that adds something. */
#ifndef CUA_IDENTITY_H
#define CUA_IDENTITY_H

#include <stdint.h>
#include <sys/stat.h>

#include "facts/facts.h"
#include "machine/subject.h"
#include "base/version.h"

/* Fills in what the file umd->real, whose status is `st`, shows about itself, except a version that
 * is already known and not in doubt; and whether its companions lie beside it. A driver for a
 * machine other than `machine` is refused. `fd`: a descriptor to read it by; -1: it is opened by
 * its path. If it was read, the descriptor is closed and set to -1. `beside`: "/NAME/NAME/", some
 * files of its folder, or "". `budget`: how many more bytes may be searched for marks, if name and
 * symbols do not show what the file is. A file that would need more counts as unreadable. */
void cua_identify(struct cua_umd *umd, const struct cua_subject *subject, int *fd,
                  const struct stat *st, const char *beside, unsigned machine, uint64_t *budget);

/* The version at the end of a file name such as "libcuda.so.550.54.14". False if that is not a
 * driver's version: "libcuda.so.1", "libcuda.so.1.1". */
bool cua_identity_named(const char *file, struct cua_version *version);

#endif
