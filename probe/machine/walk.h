/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves a path and all its links below another root. Used by subject.c. */
#ifndef CUA_WALK_H
#define CUA_WALK_H

#include <stdbool.h>

/* Like realpath(3), for an absolute path below `sysroot` ("" or NULL: /). Follows links inside that
 * root, at most 40 links and 4,096 names, else -ELOOP. Walks by descriptors, so that a user who
 * changes links meanwhile cannot lead the walk out of the root. `last`: follow a link at the end
 * too.
 *
 * `out` (PATH_MAX bytes) receives the path with the sysroot; "" on failure. Returns an O_PATH
 * descriptor of the file, or -errno. Opening a device or a pipe with O_PATH has no side effects. */
int cua_walk(const char *sysroot, const char *path, bool last, char *out);

#endif
