/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a store: a folder that contains one folder for each brought driver, named by its version.
 * Finds out where a store may lie, whether it can be trusted, and what is in it. A driver that has
 * a manifest is complete; decisions do not read what the manifest says. store/folder.h writes
 * stores.
 *
 * The folders above a store that lies beside the shim are not checked, because whoever can change
 * them can also change the shim. Above a user's own store, and above one that the site file names,
 * no folder may be writable for other users. */
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
/* A driver is complete too if the hook has put VERSION.whole beside its folder: a mount in a
 * container shows what the node removes later. */
#define CUA_STORE_MARK ".whole"
#define CUA_REFUSAL    1024

struct cua_store {
    char path[PATH_MAX];
    int fd, lock;
    /* Who may have written it, besides root and this user: the owner of the files that it lies
     * beside, or of the folder that the site file names. */
    uid_t owner;
    /* The folders above it are checked too: for a user's own store, and for one that the site
     * file names. */
    bool above;
    char why[CUA_REFUSAL]; /* why something was refused or failed */
};

/* Stores the reason in store->why and returns false. */
bool cua_store_refuse(struct cua_store *store, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The places where drivers may lie, by number. 0: beside shim and command; in /var/lib if those
 * belong to a package. 1: `site`, the folder that root's site file names ("": none). 2: the user's
 * own folder. False if there is no such place. */
#define CUA_STORE_PLACES 3
bool cua_store_place(struct cua_store *store, const struct cua_settings *settings, const char *site,
                     unsigned which);

/* Opens store->path without creating it. If it does not exist, store->fd stays -1, which is not a
 * failure. False if it is not a folder, or if other users could write to it. */
bool cua_store_look(struct cua_store *store);
void cua_store_close(struct cua_store *store);

/* The same, for a store whose drivers will be executed: outside a container root uses only root's
 * own store, because the shim may run as root. */
bool cua_store_look_to_run(struct cua_store *store);

/* cua_store_each: calls `fn` for each folder whose name is a version. cua_store_is_version: whether
 * a name is a version. */
int cua_store_each(struct cua_store *store, void (*fn)(void *data, const char *version),
                   void *data);
bool cua_store_is_version(const char *name);

/* cua_store_open: opens the folder of a version; -errno on failure. cua_store_others: whether users
 * other than the store's owner could write to it or to a file in it; `wrong` (NAME_MAX + 1 bytes)
 * receives which. */
int cua_store_open(const struct cua_store *store, const char *version);
bool cua_store_others(const struct cua_store *store, int dir, char *wrong);

/* Whether only root, this user and the store's owner can have written a file with this status. */
bool cua_store_is_own(const struct cua_store *store, const struct stat *st);

/* Whether the driver in the open folder `dir` is complete and was not removed. */
bool cua_store_is_whole(const struct cua_store *store, int dir, const char *version);

/* Writes the path of its libcuda to `path`, which has PATH_MAX bytes; "" if it is too long. */
void cua_store_libcuda(const struct cua_store *store, const char *version, char *path);

#endif
