/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the hook works on this node: it is started as an engine would, on a root file system that
 * is made for it in a mount namespace of its own. */
#ifndef CUA_HOOK_CHECK_H
#define CUA_HOOK_CHECK_H

#include <stddef.h>

/* The path of the command in `folder`, as engines are given it: a link to the newest build stays a
 * link, so that each container gets what it leads to then. 0, or 1 after a complaint. */
int cua_hook_command(const char *folder, char *path, size_t size);

/* Whether the files are there and the wrapper can be run. 0, or 1 after a complaint. */
int cua_hook_ready(const char *command);

/* The same, and runs it; `command` is the path that engines will be given. 0, or 1 after a
 * complaint. */
int cua_hook_check(const char *command);

#endif
