/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether the hook works on this node: starts the hook as an engine would, for a small root
 * file system that is made for the check in a private mount namespace. */
#ifndef CUA_HOOK_CHECK_H
#define CUA_HOOK_CHECK_H

#include <stddef.h>

/* Writes to `path` the path of the command in `folder`, by which engines are to start it. Links in
 * an absolute `folder` are kept: if it is a link to the newest build, each container gets the build
 * that is newest when the container starts. A relative `folder` is replaced by its real path. 0, or
 * 1 after an error message. */
int cua_hook_command(const char *folder, char *path, size_t size);

/* Checks that cuarbiter's files exist beside `command` and cannot be changed by other users
 * (guard.h), and that the shell and the timeout program of the wrapper (wrapper.h) work. 0, or 1
 * after an error message. */
int cua_hook_ready(const char *command);

/* Does what cua_hook_ready does, then runs the hook for a test container and checks that it adds
 * the shim. `command`: the path by which engines will start the hook. 0, or 1 after an error
 * message. */
int cua_hook_check(const char *command);

#endif
