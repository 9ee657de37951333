/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves a path and all its links below another root. Used by subject.c. */
#ifndef CUA_WALK_H
#define CUA_WALK_H

#include <stdbool.h>

/* Like realpath(3), for an absolute path below `sysroot` ("" or NULL: /). Uses descriptors, so that
 * a user who changes links meanwhile cannot lead the walk out of that root. Links are followed
 * inside the root; -ELOOP after 40 links or 4,096 names. `last`: a link at the end is followed too.
 * `out` (PATH_MAX bytes) receives the path with the sysroot; "" on failure. Returns an O_PATH
 * descriptor of the file, or -errno. Everything is opened with O_PATH, which has no effect on a
 * device or pipe. */
int cua_walk(const char *sysroot, const char *path, bool last, char *out);

#endif
