/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file VERSION.runs beside a driver's folder in a store (store.h): what `cuarbiter driver
 * try` found about that driver. A row has the kernel driver's version, the compute capability (89
 * for 8.9), "runs" or "fails", and the GPU's model, separated by tabs. */
#ifndef CUA_RUNS_H
#define CUA_RUNS_H

#include "drivers/store.h"
#include "facts/facts.h"

#define CUA_STORE_RUNS ".runs"
#define CUA_RUNS_BYTES ((size_t)CUA_RUNS_MOST * 192)

/* Opens the file for reading. Returns -1 if it is missing, not a regular file, or not safe from
 * other users (cua_store_is_own). */
int cua_runs_open(const struct cua_store *store, const char *version);

/* Returns the rows, to be freed; *count receives their number. NULL if there are none, or they
 * cannot be read. Skips lines that are not a row. */
struct cua_kernel_run *cua_runs_read(const struct cua_store *store, const char *version,
                                     size_t *count);

#endif
