/* SPDX-License-Identifier: Apache-2.0 */
/* Mount points, which show what a container runtime injected. */
#ifndef CUA_MOUNTS_H
#define CUA_MOUNTS_H

#include "machine/subject.h"

/* Every mount point, a file or a folder, from /proc/self/mountinfo. `root`: what is mounted there,
 * as its own file system names it. Non-zero from `fn` ends the walk and is returned. */
int cua_mounts_each(const struct cua_subject *subject,
                    int (*fn)(void *data, const char *point, const char *root), void *data);

#endif
