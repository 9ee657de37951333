/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether cuarbiter's OCI hook works on this node. Starts the hook as an engine would, for a
 * test container: a small root file system that is made for the check in a private mount
 * namespace. */
#ifndef CUA_HOOK_CHECK_H
#define CUA_HOOK_CHECK_H

#include <stddef.h>

/* Writes to `path` the path by which engines are to start the hook: that of the program `cuarbiter`
 * in `folder`. The engines should get the newest build, so
 * - links in an absolute `folder` are kept, because one of them may lead to the newest build;
 * - a folder `.cuarbiter-SUM`, where cuarbiter's DaemonSet places a build, is replaced by the link
 *   `cuarbiter` beside it if `folder` is a real path and the link leads to it.
 * A relative `folder` is replaced by its real path first. Returns 0, or 1 after an error
 * message. */
int cua_hook_command(const char *folder, char *path, size_t size);

/* Checks that the files that the hook copies to containers exist beside `command`, and that no
 * other user can change them (guard.h). Also checks that the shell and the program timeout work;
 * engines start the hook by them (wrapper.h). Returns 0, or 1 after an error message. */
int cua_hook_ready(const char *command);

/* Does what cua_hook_ready does, then runs the hook for the test container and checks that it adds
 * the shim, cuarbiter's preloaded library, to the container's ld.so.preload. `command`: the path by
 * which engines will start the hook. Returns 0, or 1 after an error message. */
int cua_hook_check(const char *command);

#endif
