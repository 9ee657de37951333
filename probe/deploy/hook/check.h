/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether the hook works on this node: starts the hook as an engine would, for a small root
 * file system that is made for the check in a private mount namespace. */
#ifndef CUA_HOOK_CHECK_H
#define CUA_HOOK_CHECK_H

#include <stddef.h>

/* Writes to `path` the path of the command in `folder`, by which engines are to start it. If the
 * folder is a link to the newest build, the path keeps the link, so that each container gets the
 * build that is newest when the container starts. 0, or 1 after an error message. */
int cua_hook_command(const char *folder, char *path, size_t size);

/* Checks that cuarbiter's files exist, that nobody but root and this process's user can change
 * them, and that the wrapper's shell and timeout work. 0, or 1 after an error message. */
int cua_hook_ready(const char *command);

/* Does what cua_hook_ready does, then runs the hook. `command` is the path that engines will be
 * given. 0, or 1 after an error message. */
int cua_hook_check(const char *command);

#endif
