/* SPDX-License-Identifier: Apache-2.0 */
/* The second exec: how it is done. Whether it happens is decided in start.c (check_linked). */
#ifndef CUA_EXEC_H
#define CUA_EXEC_H

#include <stddef.h>

#include "process.h"

/* A copy of what the program was started with, strings too. Foreign code runs before the exec, and
 * one that edits the environment must not change what the program gets. */
struct cua_exec {
    const struct cua_process *process;
    char **env;  /* with room for two entries more; all copies lie in `size` bytes from here on */
    char **argv; /* NULL: ld.so's own arguments cannot be read */
    char *text;  /* LD_PRELOAD for the second run, with its name */
    size_t size;
};

/* Returns NULL, or why the program cannot be executed again, in a sentence. */
const char *cua_exec_prepare(struct cua_exec *exec, const struct cua_process *process);

/* Executes the program again with `umd` preloaded. Returns only on failure, with the reason. */
const char *cua_exec_again(struct cua_exec *exec, const char *umd);

/* Frees the copies, also those of a failed preparation. */
void cua_exec_drop(struct cua_exec *exec);

#endif
