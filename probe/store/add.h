/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a driver to a store, as cua_add_plan has planned it. */
#ifndef CUA_ADD_H
#define CUA_ADD_H

#include "store/plan.h"

/* Adds the driver to `store`, which must be locked. Returns
 * - CUA_ADDED if the driver is new; `manifest` is then filled in;
 * - CUA_ADDED_BEFORE if the store had the driver already;
 * - CUA_ADDED_AGAIN if the driver had been removed, and is restored now;
 * - CUA_ADD_FAILED if adding failed; store->why then has the reason.
 *
 * Unless adding failed, manifest->version is valid. A dry run of a file or folder returns CUA_ADDED
 * even if the store has the driver. It fills in only version, files, the archive's checksum and,
 * for an import, the origin. */
enum cua_added { CUA_ADD_FAILED, CUA_ADDED, CUA_ADDED_BEFORE, CUA_ADDED_AGAIN };
enum cua_added cua_add_run(struct cua_add *add, struct cua_store *store,
                           struct cua_manifest *manifest);

#endif
