/* SPDX-License-Identifier: Apache-2.0 */
/* The second exec. */
#ifndef CUA_EXEC_H
#define CUA_EXEC_H

#include <stddef.h>

#include "process.h"

/* What the program was started with, copied: until the exec other people's code runs, and a
 * malloc that edits the environment must not change what the program gets. */
struct cua_exec {
    const struct cua_process *process;
    char **env, **argv; /* env has room for two entries more */
    size_t preload;     /* the place of LD_PRELOAD in env */
    char *text;         /* what it is set to, with its name */
    void *memory;
    size_t size;
};

/* Returns why the program could not be executed again, in a sentence; NULL: it could. */
const char *cua_exec_prepare(struct cua_exec *exec, const struct cua_process *process);

/* Executes the program again with `umd` preloaded. Returns only if that is not possible: why. */
const char *cua_exec_again(struct cua_exec *exec, const char *umd);

/* Also after a failed preparation. */
void cua_exec_drop(struct cua_exec *exec);

#endif
