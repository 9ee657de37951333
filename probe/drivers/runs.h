/* SPDX-License-Identifier: Apache-2.0 */
/* What `cuarbiter driver try` found about a driver of a store: the file VERSION.runs beside its
 * folder. A row has the kernel driver's version, the compute capability, "runs" or "fails", and the
 * GPU's model, separated by tabs. */
#ifndef CUA_RUNS_H
#define CUA_RUNS_H

#include "drivers/store.h"
#include "facts/facts.h"

#define CUA_STORE_RUNS ".runs"
#define CUA_RUNS_BYTES ((size_t)CUA_RUNS_MOST * 192)

/* Opens the file for reading; -1 if there is none, or if users other than the store's owner could
 * have changed it. */
int cua_runs_open(const struct cua_store *store, const char *version);

/* Returns the rows, to be freed; NULL if there are none. Skips lines that are not a row. */
struct cua_kernel_run *cua_runs_read(const struct cua_store *store, const char *version,
                                     size_t *count);

#endif
