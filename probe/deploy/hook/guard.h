/* SPDX-License-Identifier: Apache-2.0 */
/* Checks who may change the folders above the hook. Engines start the hook as root, so whoever can
 * change one of these folders could become root. */
#ifndef CUA_HOOK_GUARD_H
#define CUA_HOOK_GUARD_H

#include <stdbool.h>

/* Whether only root and the caller can replace the file at the absolute `path`. If not, prints
 * which file or folder others can change. */
bool cua_guarded(const char *path);

#endif
