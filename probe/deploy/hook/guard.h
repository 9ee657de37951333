/* SPDX-License-Identifier: Apache-2.0 */
/* Checks who can change the hook's file and the folders above it. Engines start the hook as root,
 * so whoever can change one of these could become root. */
#ifndef CUA_HOOK_GUARD_H
#define CUA_HOOK_GUARD_H

#include <stdbool.h>

/* Whether nobody but root and this process's user can replace the file at `path`, which is
 * absolute. If others can, prints which file or folder they can change. */
bool cua_guarded(const char *path);

#endif
