/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies a libcuda by its content and its name. The subject is the process that is examined
 * (machine/subject.h). Companions are the libraries that a libcuda opens to compile PTX. A version
 * is doubtful if it is from the file's name and another file may be mounted over that one. */
#ifndef CUA_IDENTITY_H
#define CUA_IDENTITY_H

#include <stdint.h>
#include <sys/stat.h>

#include "facts/facts.h"
#include "machine/subject.h"
#include "base/version.h"

/* Fills in what the file umd->real (`st`: its stat) shows about itself, and whether its companions
 * are beside it. A version in umd->version that is not doubtful is kept. A driver for another
 * machine than `machine` gets the state CUA_UMD_ARCH. `fd`: a descriptor of the file, which is
 * closed and set to -1 if the file was read; -1: opens the file by its path. `beside`:
 * "/NAME/NAME/", names of some files in its folder, or "". `budget`: how many more bytes may be
 * searched if name and symbols do not show what the file is; it is reduced by what was searched. If
 * it is used up, the file counts as unreadable. */
void cua_identify(struct cua_umd *umd, const struct cua_subject *subject, int *fd,
                  const struct stat *st, const char *beside, unsigned machine, uint64_t *budget);

/* Takes the version from the end of a file name such as "libcuda.so.550.54.14". False if that is
 * not a driver's version, as in "libcuda.so.1" and "libcuda.so.1.1". */
bool cua_identity_named(const char *file, struct cua_version *version);

#endif
