/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies a libcuda by its content and its name. The subject is the process that is examined
 * (machine/subject.h). Companions are the libraries that a libcuda opens to compile PTX. A version
 * is doubtful if it was read from the file's name and another file may be mounted over that
 * file. */
#ifndef CUA_IDENTITY_H
#define CUA_IDENTITY_H

#include <stdint.h>
#include <sys/stat.h>

#include "facts/facts.h"
#include "machine/subject.h"
#include "base/version.h"

/* How many bytes may be searched in all files together to identify them. In a real driver, the
 * search usually ends after a few hundredths of .rodata (search_content in identity.c). */
#define CUA_SEARCH_MOST (256u << 20)

/* Fills in what the file umd->real shows about itself, and whether its companions are beside it.
 * Keeps a version in umd->version that is not doubtful. A driver for another machine than `machine`
 * gets the state CUA_UMD_ARCH.
 *
 * - `st`: the file's stat
 * - `fd`: a descriptor of the file; or -1, to open the file by its path. If the file was read, the
 *   descriptor is closed and *fd set to -1.
 * - `beside`: names of some files in the same folder, as "/NAME/NAME/", or ""
 * - `budget`: how many more bytes may be searched if name and symbols do not identify the file.
 *   Reduced by the searched bytes. If it does not suffice, the file counts as unreadable. */
void cua_identify(struct cua_umd *umd, const struct cua_subject *subject, int *fd,
                  const struct stat *st, const char *beside, unsigned machine, uint64_t *budget);

/* Takes the version from the end of a file name such as "libcuda.so.550.54.14". False if that is
 * not a driver's version, as in "libcuda.so.1" and "libcuda.so.1.1". */
bool cua_identity_named(const char *file, struct cua_version *version);

#endif
