/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a driver to a store, as cua_add_plan has planned it. */
#ifndef CUA_ADD_H
#define CUA_ADD_H

#include "store/plan.h"

/* Adds the driver to `store`, which must be locked, and returns what happened. CUA_ADDED: the
 * driver is new, and `manifest` is filled in. (After a dry run of a file or folder, only version
 * and files are, and the store may have the driver already.) CUA_ADD_FAILED: store->why has the
 * reason. CUA_ADDED_BEFORE: the store had the driver already. CUA_ADDED_AGAIN: the driver had been
 * removed, and is restored. Unless adding failed, manifest->version is valid. */
enum cua_added { CUA_ADD_FAILED, CUA_ADDED, CUA_ADDED_BEFORE, CUA_ADDED_AGAIN };
enum cua_added cua_add_run(struct cua_add *add, struct cua_store *store,
                           struct cua_manifest *manifest);

#endif
