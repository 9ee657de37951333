/* SPDX-License-Identifier: Apache-2.0 */
/* Who a libcuda is: by its content, and by its name as far as that says more. */
#ifndef CUA_IDENTITY_H
#define CUA_IDENTITY_H

#include "facts/facts.h"
#include "machine/subject.h"
#include "base/version.h"

/* Fills state, trouble, version (unless it is known, and no doubt of it), note and tegra of the
 * file that umd->real names, as `fd` reads it. `needs`: receives its first DT_NEEDED on another
 * part of the same driver
 * ("libnvidia-fatbinaryloader.so.418.226.00", drivers up to 440), else "". */
void cua_identity_read(struct cua_umd *umd, int fd, unsigned machine, char *needs, size_t size);

/* The version that a file's name ends in: "libcuda.so.550.54.14". False where it is no driver's:
 * "libcuda.so.1", "libcuda.so.1.1". */
bool cua_identity_named(const char *file, struct cua_version *version);

#endif
