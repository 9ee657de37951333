/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the hook works on this node: it is started as an engine would, on a root file system that
 * is made for it in a mount namespace of its own. */
#ifndef CUA_HOOK_CHECK_H
#define CUA_HOOK_CHECK_H

#include <stddef.h>

/* `command` is the path that engines will be given. 0, or 1 after a complaint. */
int cua_hook_check(const char *command);

#endif
