/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the results of `cuarbiter driver try`, which runs a kernel on each GPU with a driver of a
 * store (folder.h). They are rows of the driver's .runs file (drivers/runs.h). */
#ifndef CUA_KEEP_RUN_H
#define CUA_KEEP_RUN_H

#include "drivers/runs.h"

/* Adds rows to a driver's .runs file in a locked store. They replace older rows about the same
 * kernel driver, GPU model and compute capability. False, with the reason in store->why. */
bool cua_store_keep_runs(struct cua_store *store, const char *version,
                         const struct cua_kernel_run *runs, size_t count);

#endif
