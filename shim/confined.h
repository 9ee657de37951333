/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a child process may be started. It may not in a program that has sandboxed
 * itself, for example. */
#ifndef CUA_CONFINED_H
#define CUA_CONFINED_H

#include <stdbool.h>

#include "keeper.h"

/* Whether a child may be started here. False if the program has sandboxed itself since it started,
 * if a child would have other rights than the calling thread, if the next child would be the first
 * process of a pid namespace, or if any of this cannot be found out. `at_start`: no code of the
 * program has run yet. */
bool cua_errand_may(struct cua_errand *errand, bool at_start);

#endif
