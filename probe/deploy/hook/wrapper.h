/* SPDX-License-Identifier: Apache-2.0 */
/* How engines are told to start the hook. A hook that fails stops its container. So the hook runs
 * below a shell that always ends with 0, even if the hook is missing or damaged, or is killed after
 * a second. */
#ifndef CUA_HOOK_WRAPPER_H
#define CUA_HOOK_WRAPPER_H

#include <stdbool.h>
#include <stdio.h>

/* The shell does not exec the hook, so that its status does not depend on the hook's. A trap does
 * the same for a shell that cannot fork. Output goes to /dev/null, because a runtime waits for
 * processes that may still print. crun fails if nobody reads the state that it writes: unless the
 * hook ends with CUA_HOOK_READ, cat reads the rest. The limit is in whole seconds, because some
 * busyboxes accept no others. */
#define CUA_HOOK_SHELL    "/bin/sh"
#define CUA_HOOK_VARIABLE "CUARBITER_HOOK" /* if it is set, the hook ends with 3 instead of 0 */
#define CUA_HOOK_READ     3
#define CUA_HOOK_SCRIPT                                                                            \
    "trap 'exit 0' EXIT; " CUA_HOOK_VARIABLE                                                       \
    "=1 timeout -s KILL 1 \"$@\" >/dev/null 2>&1; [ $? = 3 ] && exit 0; "                          \
    "timeout -s KILL 0.2 cat >/dev/null 2>&1 || [ $? -gt 123 ] || "                                \
    "timeout -s KILL 1 cat >/dev/null 2>&1; exit 0"
#define CUA_HOOK_PATH "PATH=/usr/sbin:/usr/bin:/sbin:/bin"
/* A part of the printed text that identifies our hook in other files. */
#define CUA_HOOK_NAME "\"cuarbiter\", "

/* Prints the members path, args and env of a hook that runs `command`, as JSON on one line and
 * without braces. `always`: also for containers without a GPU. */
void cua_hook_print(FILE *out, const char *command, bool always);

#endif
