/* SPDX-License-Identifier: Apache-2.0 */
/* Executes a program again (the second exec). start.c (check_linked) decides whether that
 * happens. */
#ifndef CUA_EXEC_H
#define CUA_EXEC_H

#include "process.h"

/* Executes the program again with the libcuda `umd`, a path, preloaded. Returns only if that fails,
 * with the reason as a sentence. */
const char *cua_exec_again(const struct cua_process *process, const char *umd);

#endif
