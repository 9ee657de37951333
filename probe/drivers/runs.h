/* SPDX-License-Identifier: Apache-2.0 */
/* What `cuarbiter driver try` found about a driver in a store (store.h): the file VERSION.runs
 * beside the driver's folder. A row has the kernel driver's version, the compute capability (89 for
 * 8.9), "runs" or "fails", and the GPU's model, separated by tabs. */
#ifndef CUA_RUNS_H
#define CUA_RUNS_H

#include "drivers/store.h"
#include "facts/facts.h"

#define CUA_STORE_RUNS ".runs"
#define CUA_RUNS_BYTES ((size_t)CUA_RUNS_MOST * 192)

/* Opens the file for reading; -1 if it is missing or not a regular file, or if a user other than
 * root, this user and the store's owner could have changed it. */
int cua_runs_open(const struct cua_store *store, const char *version);

/* Returns the rows, to be freed; *count receives their number. NULL if there are none, or they
 * cannot be read. Skips lines that are not a row. */
struct cua_kernel_run *cua_runs_read(const struct cua_store *store, const char *version,
                                     size_t *count);

#endif
