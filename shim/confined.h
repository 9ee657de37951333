/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a child process may be started. In a program that has sandboxed itself, for
 * example, it may not. The child is the keeper (keeper.h), which starts the answerer; one such run
 * is an errand. */
#ifndef CUA_CONFINED_H
#define CUA_CONFINED_H

#include <stdbool.h>

#include "keeper.h"

/* Whether this thread may start the keeper and the keeper's child. False in these cases:
 * - The program seems to have installed a seccomp filter (is_confined in confined.c).
 * - execve would change the thread's rights in a way that cannot be prevented.
 * - The next child would be in another pid namespace.
 * - The program seems to have a child that does not end with SIGCHLD.
 * - /proc/self/status cannot be read, and `at_start` is false.
 *
 * `at_start`: no code of the program has run yet. Sets errand->bind and errand->by_root if the
 * result is true, and overwrites errand->text. */
bool cua_errand_may(struct cua_errand *errand, bool at_start);

#endif
