/* SPDX-License-Identifier: Apache-2.0 */
/* What is mounted, as container runtimes inject a driver, and what a process has mapped. */
#ifndef CUA_MOUNTS_H
#define CUA_MOUNTS_H

#include "machine/subject.h"

/* Every mount point, a file or a folder, from /proc/self/mountinfo. `root`: what is mounted there,
 * as its own file system names it. Non-zero from `fn` ends the walk and is returned. */
int cua_mounts_each(const struct cua_subject *subject,
                    int (*fn)(void *data, const char *point, const char *root), void *data);

/* Every mapping of a file that is still there, from /proc/PID/maps. */
int cua_maps_each(pid_t pid, int (*fn)(void *data, const char *file), void *data);

/* Whether this process has a mount of its own at `path`, which is not followed: 1 or 0; -1 where
 * the kernel does not tell. Reading all mounts takes as long as all else that is known of a
 * candidate. */
int cua_mount_at(const char *path);

#endif
