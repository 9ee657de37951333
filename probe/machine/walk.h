/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves a path and all its links below another root. Used by subject.c. */
#ifndef CUA_WALK_H
#define CUA_WALK_H

#include <stdbool.h>

/* Like realpath(3), below `sysroot` ("" or NULL: /). Uses descriptors, so that a user who changes
 * links meanwhile cannot lead the walk out of that root. At most 40 links are followed, all inside
 * the root, and at most 4,096 names are opened. `last`: a link at the end is followed too. `out`
 * (PATH_MAX bytes) receives the path, sysroot included. Returns a descriptor (O_PATH) of the file,
 * or -errno. All is opened with O_PATH, which the owner of a device or pipe cannot notice. */
int cua_walk(const char *sysroot, const char *path, bool last, char *out);

#endif
