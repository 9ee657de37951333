/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the mount points of a subject, the process that is examined (subject.h). They show what a
 * container runtime has injected. */
#ifndef CUA_MOUNTS_H
#define CUA_MOUNTS_H

#include "machine/subject.h"

/* Calls `fn` for every mount point, file or folder, of the subject. They come from its
 * /proc/self/mountinfo, or /proc/PID/mountinfo for another process. `root`: the path that the
 * mounted file or folder has inside its own file system. If `fn` returns non-zero, stops and
 * returns that value; else returns 0, also if the list cannot be read. */
int cua_mounts_each(const struct cua_subject *subject,
                    int (*fn)(void *data, const char *point, const char *root), void *data);

#endif
