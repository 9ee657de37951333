/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How engines are asked to start the hook. A hook that fails stops its container, so it runs below
 * a shell that ends with 0 whatever becomes of it: missing, damaged, killed after a second.
 */
#ifndef CUA_HOOK_WRAPPER_H
#define CUA_HOOK_WRAPPER_H

#include <stdbool.h>
#include <stdio.h>

/* No exec: its end would be the shell's. The trap is for a shell that cannot fork. A runtime waits
 * for whoever may still print, and crun fails if nobody reads what it writes. A busybox may
 * take whole seconds alone. */
#define CUA_HOOK_SHELL "/bin/sh"
#define CUA_HOOK_SCRIPT                                                                            \
    "trap 'exit 0' EXIT; timeout -s KILL 1 \"$@\" >/dev/null 2>&1; "                               \
    "timeout -s KILL 0.2 cat >/dev/null 2>&1 || [ $? -gt 123 ] || "                                \
    "timeout -s KILL 1 cat >/dev/null 2>&1; exit 0"
#define CUA_HOOK_PATH "PATH=/usr/sbin:/usr/bin:/sbin:/bin"
/* Part of what is printed; our hook is known by it. */
#define CUA_HOOK_NAME "\"cuarbiter\", "

/* The members path, args and env of a hook that runs `command`, as JSON on one line, without
 * braces. `always`: for containers without a GPU too. */
void cua_hook_print(FILE *out, const char *command, bool always);

#endif
