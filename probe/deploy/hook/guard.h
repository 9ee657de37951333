/* SPDX-License-Identifier: Apache-2.0 */
/* Checks who can change the files by which cuarbiter's OCI hook runs, and the folders above them.
 * Most engines start the hook as root, so whoever can change one of these could become root. */
#ifndef CUA_HOOK_GUARD_H
#define CUA_HOOK_GUARD_H

#include <stdbool.h>

/* Whether only root and this process's user (or members of their groups) can change or replace the
 * file at `path`, which is absolute. If others can, or if a part of the path cannot be examined,
 * prints which file or folder is the reason and returns false. */
bool cua_guarded(const char *path);

#endif
