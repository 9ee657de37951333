/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether cuarbiter's OCI hook works on this node. Starts the hook as an engine would, for a
 * test container: a small root file system that is made for the check in a private mount
 * namespace. */
#ifndef CUA_HOOK_CHECK_H
#define CUA_HOOK_CHECK_H

#include <stddef.h>

/* Writes to `path` the path by which engines are to start the hook: that of the program `cuarbiter`
 * in `folder`. Links in an absolute `folder` are kept: if it is a link to the newest build, each
 * container gets the build that is newest when the container starts. A relative `folder` is
 * replaced by its real path. cuarbiter's DaemonSet places builds in folders `.cuarbiter-SUM`; if
 * `folder` is one of these, and the link `cuarbiter` beside it leads to it, the link's path is used
 * instead. Returns 0, or 1 after an error message. */
int cua_hook_command(const char *folder, char *path, size_t size);

/* Checks that the files that the hook copies to containers exist beside `command` and cannot be
 * changed by other users (guard.h). Checks also that the shell and the program timeout work, by
 * which engines start the hook (wrapper.h). Returns 0, or 1 after an error message. */
int cua_hook_ready(const char *command);

/* Does what cua_hook_ready does, then runs the hook for the test container and checks that it adds
 * the shim, cuarbiter's preloaded library, to the container's ld.so.preload. `command`: the path by
 * which engines will start the hook. Returns 0, or 1 after an error message. */
int cua_hook_check(const char *command);

#endif
