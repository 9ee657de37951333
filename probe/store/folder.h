/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a store: a folder that contains one folder for each brought driver, named by its version.
 * A driver that has a manifest is complete: its folder gets its name by one rename, after
 * everything in it was flushed. A writer holds the lock `.lock`, so whatever lies in `.new` and
 * `.gone-*` then is left over and can be deleted.
 *
 * Removing a driver renames its manifest. The files stay until this machine has booted again,
 * because running programs may still need its companions: libcuda opens its PTX compiler late, in
 * the folder that it was loaded from. */
#ifndef CUA_FOLDER_H
#define CUA_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "drivers/store.h"
#include "store/manifest.h"

#define CUA_STORE_NEW      ".new"
#define CUA_STORE_NEW_RUNS ".new-runs" /* left over too, if a command was killed */

/* Finds the first place that this user can write to: beside the command, else the user's own. */
bool cua_store_own(struct cua_store *store, const struct cua_settings *settings);

/* Creates the store if it is missing, locks it, and deletes what interrupted commands left
 * unfinished. */
bool cua_store_lock(struct cua_store *store);

enum cua_brought {
    CUA_BROUGHT_WHOLE,
    CUA_BROUGHT_REMOVED,
    CUA_BROUGHT_HALF,  /* a folder without a readable manifest */
    CUA_BROUGHT_OTHERS /* other users can write to it, or own it */
};

/* The state of the driver `version`, and its manifest if it has one; -ENOENT if there is no such
 * folder. `wrong` (CUA_MEMBER_NAME bytes): the file that other users could write to. */
int cua_store_read(struct cua_store *store, const char *version, struct cua_manifest *manifest,
                   char *wrong);

/* Removes a driver from a locked store. `now`: deletes its files at once. */
bool cua_store_remove(struct cua_store *store, const char *version, bool now);
/* Makes a removed driver usable again if its files are still there. */
bool cua_store_restore(struct cua_store *store, const char *version);

/* cua_store_stage: opens the staging folder, which is empty; -1 with the reason. cua_store_publish
 * gives the folder its final name, cua_store_drop deletes it. */
int cua_store_stage(struct cua_store *store);
bool cua_store_publish(struct cua_store *store, int stage, const char *version);
void cua_store_drop(struct cua_store *store);

#endif
