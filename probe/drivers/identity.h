/* SPDX-License-Identifier: Apache-2.0 */
/* Who a libcuda is: by its content, and by its name as far as that says more. */
#ifndef CUA_IDENTITY_H
#define CUA_IDENTITY_H

#include <stdint.h>
#include <sys/stat.h>

#include "facts/facts.h"
#include "machine/subject.h"
#include "base/version.h"

/* Fills what the file umd->real, which is `st`, shows of itself (no version that is known and no
 * doubt of), and whether its companions lie beside it. A driver for another `machine` than this is
 * refused. `fd`: by which it can be read, or -1, and then it is opened by its path; -1 afterwards
 * where it was read, which closes it. `beside`: "/NAME/NAME/", some of the files in its folder, or
 * "". `budget`: how many bytes may still be searched for marks, where name and symbols leave it
 * open who the file is; one that would take more is unreadable. */
void cua_identify(struct cua_umd *umd, const struct cua_subject *subject, int *fd,
                  const struct stat *st, const char *beside, unsigned machine, uint64_t *budget);

/* The version that a file's name ends in: "libcuda.so.550.54.14". False where it is not a driver's:
 * "libcuda.so.1", "libcuda.so.1.1". */
bool cua_identity_named(const char *file, struct cua_version *version);

#endif
