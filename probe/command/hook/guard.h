/* SPDX-License-Identifier: Apache-2.0 */
/* Engines start the hook as root: whoever may change a folder on the way to it would be root too.
 */
#ifndef CUA_HOOK_GUARD_H
#define CUA_HOOK_GUARD_H

#include <stdbool.h>

/* Whether only root and the caller can put another file in the place of `path`, which is absolute;
 * else a complaint says what is open to others. */
bool cua_guarded(const char *path);

#endif
