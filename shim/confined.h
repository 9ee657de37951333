/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a child process may be started. In a program that has sandboxed itself, for
 * example, it may not. The child is the keeper (keeper.h), which starts the answerer; one such run
 * is an errand. */
#ifndef CUA_CONFINED_H
#define CUA_CONFINED_H

#include <stdbool.h>

#include "keeper.h"

/* Whether this thread may start the keeper and the keeper's child. False in these cases:
 * - The program has installed a seccomp filter since it started.
 * - execve would change the thread's rights.
 * - The next child would be in another pid namespace.
 * - The program has a child that does not end with SIGCHLD.
 * - /proc/self/status cannot be read, and `at_start` is false.
 *
 * `at_start`: no code of the program has run yet. Sets errand->bind and errand->by_root, and
 * overwrites errand->text. */
bool cua_errand_may(struct cua_errand *errand, bool at_start);

#endif
