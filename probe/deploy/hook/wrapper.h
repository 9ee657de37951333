/* SPDX-License-Identifier: Apache-2.0 */
/* The command by which engines start cuarbiter's OCI hook. An engine does not start a container
 * whose hook fails. So engines start a shell that runs the hook and always ends with 0, even if the
 * hook is missing or damaged, or is killed after a second. */
#ifndef CUA_HOOK_WRAPPER_H
#define CUA_HOOK_WRAPPER_H

#include <stdbool.h>
#include <stdio.h>

/* CUA_HOOK_SCRIPT is what the shell runs; "$@" is the hook's command.
 * - The shell does not exec the hook, so that the shell's exit status does not depend on the
 *   hook's.
 * - If the shell cannot fork, its trap sets the status 0.
 * - The hook's output goes to /dev/null, because a runtime waits for every process that could still
 *   write to the pipe that it gave the hook.
 * - crun writes the container's state to the hook's standard input, and fails if nobody reads all
 *   of it. So cat reads the rest, unless the hook ends with CUA_HOOK_READ.
 * - In some versions of busybox, timeout accepts no fraction of a second. So the hook's limit is 1,
 *   and cat is started again with the limit 1 if 0.2 is refused. */
#define CUA_HOOK_SHELL    "/bin/sh"
#define CUA_HOOK_VARIABLE "CUARBITER_HOOK" /* if set, the hook may end with CUA_HOOK_READ */
#define CUA_HOOK_READ     3                /* exit status: the state was read to its end */
#define CUA_HOOK_SCRIPT                                                                            \
    "trap 'exit 0' EXIT; " CUA_HOOK_VARIABLE                                                       \
    "=1 timeout -s KILL 1 \"$@\" >/dev/null 2>&1; [ $? = 3 ] && exit 0; "                          \
    "timeout -s KILL 0.2 cat >/dev/null 2>&1 || [ $? -gt 123 ] || "                                \
    "timeout -s KILL 1 cat >/dev/null 2>&1; exit 0"
#define CUA_HOOK_PATH "PATH=/usr/sbin:/usr/bin:/sbin:/bin"
/* A part of what cua_hook_print prints. A hook configuration that contains it is cuarbiter's
 * (node/node.c). */
#define CUA_HOOK_NAME "\"cuarbiter\", "

/* Prints the members path, args and env of a hook that runs `command`, as JSON on one line, without
 * braces around them and without a newline. `always`: the hook also serves containers without a
 * GPU. */
void cua_hook_print(FILE *out, const char *command, bool always);

#endif
