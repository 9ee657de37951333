/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a store: a folder that contains one folder for each brought driver, named by its version.
 * A brought driver is one that `cuarbiter driver add` downloaded, or copied from files.
 *
 * A writer is a command that changes the store. It holds the lock `.lock`. It makes a driver's
 * folder as `.new`, with the manifest (manifest.h), flushes it to disk, and only then renames it to
 * its version. A folder that is being deleted is named `.gone-VERSION`. So a `.new` or `.gone-*`
 * that a writer finds was left by a killed command, and can be deleted.
 *
 * Removing a driver either deletes its files at once, or only renames its manifest. In the second
 * case the first writer after this machine's next boot deletes the files. Until then running
 * programs may need them: libcuda loads its PTX compiler late, from its own folder. */
#ifndef CUA_FOLDER_H
#define CUA_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "drivers/store.h"
#include "store/manifest.h"

#define CUA_STORE_NEW      ".new"
#define CUA_STORE_NEW_RUNS ".new-runs" /* a .runs file (runs.h) that is being written */

/* Sets store->path to the store to which this user's drivers are added. First choice, if the user
 * can write there: the store beside the command, or CUA_STORE_PACKAGES if the command lies below
 * /usr. Second choice: the user's own store, usually in ~/.local/share/cuarbiter. False, with the
 * reason in store->why, if there is neither. */
bool cua_store_own(struct cua_store *store, const struct cua_settings *settings);

/* Creates the store if it is missing, and locks it; waits while another writer has the lock. False,
 * with the reason in store->why, if that fails, or if the store belongs to a user other than this
 * one and root.
 *
 * Then deletes what killed commands have left, and the drivers that this machine removed before its
 * last boot. What cannot be deleted stays. */
bool cua_store_lock(struct cua_store *store);

enum cua_brought {
    CUA_BROUGHT_WHOLE,
    CUA_BROUGHT_REMOVED,
    CUA_BROUGHT_HALF, /* the folder has no readable manifest */
    /* A user other than root, this user and the store's owner owns the folder or a file in it, or
     * can write to it; or a link in it leads to another folder. */
    CUA_BROUGHT_OTHERS
};

/* Returns the state of the driver `version` (enum cua_brought), and reads its manifest if the state
 * is WHOLE or REMOVED. -ENOENT if there is no such folder, another -errno if it cannot be opened.
 * `wrong` (CUA_MEMBER_NAME bytes) receives the name of a file that other users could write to; "":
 * none. */
int cua_store_read(struct cua_store *store, const char *version, struct cua_manifest *manifest,
                   char *wrong);

/* Removes a driver from a locked store. If `now`, deletes its files at once; otherwise only renames
 * its manifest. False, with the reason in store->why. */
bool cua_store_remove(struct cua_store *store, const char *version, bool now);
/* Makes a removed driver usable again if its files are still there. False, with the reason in
 * store->why. */
bool cua_store_restore(struct cua_store *store, const char *version);

/* Makes the staging folder, `.new`. Returns a descriptor; -1, with the reason in store->why. */
int cua_store_stage(struct cua_store *store);
/* Flushes the staging folder, and renames it to `version`. False, with the reason in store->why. */
bool cua_store_publish(struct cua_store *store, int stage, const char *version);
/* Deletes the staging folder, if it is still there. */
void cua_store_drop(struct cua_store *store);

#endif
