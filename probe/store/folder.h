/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a store: a folder that contains one folder for each brought driver, named by its version.
 * A driver that has a manifest is complete: its folder is made as `.new`, flushed to disk, and then
 * renamed to its version. A writer holds the lock `.lock`. So a `.new` or `.gone-*` that a writer
 * finds was left by a killed command, and can be deleted.
 *
 * Removing a driver renames its manifest. The files stay until this machine has booted again,
 * because running programs may still need them: libcuda loads its PTX compiler late, from its own
 * folder. */
#ifndef CUA_FOLDER_H
#define CUA_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "drivers/store.h"
#include "store/manifest.h"

#define CUA_STORE_NEW      ".new"
#define CUA_STORE_NEW_RUNS ".new-runs" /* a .runs file before it is renamed; can be deleted */

/* Sets store->path to the first place that this user can write to: beside the command, else the
 * user's own. */
bool cua_store_own(struct cua_store *store, const struct cua_settings *settings);

/* Creates the store if it is missing, locks it, and deletes what interrupted commands left
 * unfinished. */
bool cua_store_lock(struct cua_store *store);

enum cua_brought {
    CUA_BROUGHT_WHOLE,
    CUA_BROUGHT_REMOVED,
    CUA_BROUGHT_HALF,  /* the folder has no readable manifest */
    CUA_BROUGHT_OTHERS /* another user owns the folder or a file in it, or can write to it */
};

/* Returns the state of the driver `version`, and reads its manifest if it has one; -ENOENT if there
 * is no such folder. `wrong` (CUA_MEMBER_NAME bytes) receives the name of a file that other users
 * could write to. */
int cua_store_read(struct cua_store *store, const char *version, struct cua_manifest *manifest,
                   char *wrong);

/* Removes a driver from a locked store. `now`: deletes its files at once. */
bool cua_store_remove(struct cua_store *store, const char *version, bool now);
/* Makes a removed driver usable again if its files are still there. */
bool cua_store_restore(struct cua_store *store, const char *version);

/* cua_store_stage: makes the staging folder, `.new`, and returns a descriptor; -1 with the reason
 * in store->why. cua_store_publish renames the folder to `version`. cua_store_drop deletes it. */
int cua_store_stage(struct cua_store *store);
bool cua_store_publish(struct cua_store *store, int stage, const char *version);
void cua_store_drop(struct cua_store *store);

#endif
