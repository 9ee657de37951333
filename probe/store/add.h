/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a driver to a store, as planned. */
#ifndef CUA_ADD_H
#define CUA_ADD_H

#include "store/plan.h"

/* The result, for a locked store. CUA_ADDED fills in the manifest; after a dry run, only its
 * version. The others change nothing, except that CUA_ADDED_AGAIN restores a driver that was
 * removed. */
enum cua_added { CUA_ADD_FAILED, CUA_ADDED, CUA_ADDED_BEFORE, CUA_ADDED_AGAIN };
enum cua_added cua_add_run(struct cua_add *add, struct cua_store *store,
                           struct cua_manifest *manifest);

#endif
