/* SPDX-License-Identifier: Apache-2.0 */
/* Where a path leads without its links, in another root. For subject.c. */
#ifndef CUA_WALK_H
#define CUA_WALK_H

#include <stdbool.h>

/* realpath(3) below `sysroot` ("" or NULL: /), over descriptors, so that whoever changes links
 * meanwhile leads nowhere but into that root: at most 40 links are followed, all of them inside,
 * one at the end only where `last` says so, and at most 4,096 names are opened. `out` (PATH_MAX)
 * receives the path, sysroot included. Returns a descriptor (O_PATH) of what is there, or -errno.
 * Nothing is opened that could notice. */
int cua_walk(const char *sysroot, const char *path, bool last, char *out);

#endif
