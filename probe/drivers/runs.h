/* SPDX-License-Identifier: Apache-2.0 */
/* What `cuarbiter driver try` found about a driver of a store: the file VERSION.runs beside its
 * folder. A row has the kernel driver, the compute capability, "runs" or "fails", and the GPU's
 * model, with tabs between them. */
#ifndef CUA_RUNS_H
#define CUA_RUNS_H

#include "drivers/store.h"
#include "facts/facts.h"

#define CUA_STORE_RUNS ".runs"
#define CUA_RUNS_BYTES ((size_t)CUA_RUNS_MOST * 192)

/* Opens the file for reading; -1: there is none, or a user who does not own the store could have
 * changed it. */
int cua_runs_open(const struct cua_store *store, const char *version);

/* Reads the rows, which the caller frees; NULL: there are none. A line that is no row is left
 * out. */
struct cua_kernel_run *cua_runs_read(const struct cua_store *store, const char *version,
                                     size_t *count);

#endif
