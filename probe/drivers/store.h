/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a store: a folder that contains one folder for each brought driver, named by its version. A
 * brought driver is one that `cuarbiter driver add` has put there (store/folder.h). Finds out where
 * a store may lie, whether it can be trusted, and what is in it. A driver that has a manifest is
 * complete; no decision depends on what the manifest says.
 *
 * The shim is cuarbiter's library for LD_PRELOAD. The site file is the one by which root sets rules
 * for all users (machine/site.h).
 *
 * The folders above a store that lies beside the shim are not checked, because whoever can change
 * them can also change the shim. A user's own store, and one that the site file names, is refused
 * if other users can replace it or a folder above it. */
#ifndef CUA_STORE_H
#define CUA_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "machine/settings.h"

#define CUA_STORE_NAME     "drivers"
#define CUA_STORE_PACKAGES "/var/lib/cuarbiter/drivers"
#define CUA_STORE_MANIFEST "manifest.json"
/* cuarbiter's OCI hook mounts a driver's folder into a container, and makes the file VERSION.whole
 * beside the mount. This file shows that the driver was complete when the container started. The
 * manifest cannot show that: it disappears from the mounted folder when the host removes the
 * driver. */
#define CUA_STORE_MARK ".whole"
#define CUA_REFUSAL    1024

struct cua_store {
    char path[PATH_MAX];
    int fd, lock;
    /* The user who may own the store, besides root and this user: the owner of the shim beside
     * which the store lies, or of the folder that the site file names. */
    uid_t owner;
    /* Check the folders above the store too. Set for a user's own store, and for one that the site
     * file names. */
    bool above;
    char why[CUA_REFUSAL]; /* why something was refused or failed */
};

/* Stores the reason in store->why and returns false. */
bool cua_store_refuse(struct cua_store *store, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets store->path to one of the places for stores. False if there is no such place, for example
 * because the shim or HOME is missing. `which`:
 * - 0: beside shim and command; CUA_STORE_PACKAGES if they lie below /usr
 * - 1: `site`, the folder that root's site file names ("": none)
 * - 2: the user's own folder */
#define CUA_STORE_PLACES 3
bool cua_store_place(struct cua_store *store, const struct cua_settings *settings, const char *site,
                     unsigned which);

/* Opens store->path without creating it. If it does not exist, returns true, and store->fd stays
 * -1. Returns false, with the reason in store->why, in these cases:
 * - The store cannot be opened.
 * - Its owner is not root, this user or store->owner.
 * - Other users can write to it.
 * - store->above is set, and other users can replace it. */
bool cua_store_look(struct cua_store *store);
void cua_store_close(struct cua_store *store);

/* Does the same as cua_store_look, for a store whose drivers programs will load. Returns false in
 * two more cases:
 * - This is a process of root outside a container, and store->owner is not root. That user could
 *   change the drivers.
 * - The store beside the shim is a link, and the link's owner is not root, this user or
 *   store->owner. */
bool cua_store_look_to_run(struct cua_store *store);

/* Calls `fn` for each name in the store that is a version. Returns 0, or -errno if the store cannot
 * be read. */
int cua_store_each(struct cua_store *store, void (*fn)(void *data, const char *version),
                   void *data);
bool cua_store_is_version(const char *name);

/* Opens the folder of a version; -errno on failure. */
int cua_store_open(const struct cua_store *store, const char *version);
/* Whether users other than root, this user and the store's owner could write to the folder `dir` or
 * to a file in it, or whether a link in it leads to another folder. `wrong` (NAME_MAX + 1 bytes)
 * receives the name of the first such file, or "its folder". Also true if the folder cannot be
 * listed. For messages: `wrong`, then CUA_STORE_OTHERS. */
#define CUA_STORE_OTHERS "users other than root, you and the store's owner could change it"
bool cua_store_others(const struct cua_store *store, int dir, char *wrong);

/* Whether only root, this user and the store's owner can write to a file, by the owner and mode in
 * `st`. */
bool cua_store_is_own(const struct cua_store *store, const struct stat *st);

/* Whether the driver in the open folder `dir` is complete and was not removed: it has a manifest,
 * or VERSION.whole is beside the folder. */
bool cua_store_is_whole(const struct cua_store *store, int dir, const char *version);

/* Writes the path of the libcuda of `version` to `path`, which has PATH_MAX bytes; "" if that is
 * too long. */
void cua_store_libcuda(const struct cua_store *store, const char *version, char *path);

#endif
