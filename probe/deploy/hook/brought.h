/* SPDX-License-Identifier: Apache-2.0 */
/* For cuarbiter's OCI hook: gives a container the drivers that `cuarbiter driver add` has brought
 * to the node's store, a folder with one folder for each driver (drivers/store.h). Each usable
 * driver that is in the store when the container starts gets a read-only mount, inside the tmpfs
 * that the hook mounts in the container (copy.h). The drivers are not copied: each takes about a
 * hundred megabytes, and the kernel would charge a copy to the container's memory. */
#ifndef CUA_HOOK_BROUGHT_H
#define CUA_HOOK_BROUGHT_H

#include <stdbool.h>

#include "base/version.h"
#include "drivers/store.h"

#define CUA_HOOK_DRIVERS 32 /* most drivers that one container gets */

struct cua_hook_drivers {
    unsigned count;
    int place[CUA_HOOK_DRIVERS]; /* descriptor of the mount point, a folder in the tmpfs */
    int mount[CUA_HOOK_DRIVERS]; /* the mount's descriptor; cua_hook_drivers_mount attaches it */
    char version[CUA_HOOK_DRIVERS][CUA_VERSION_TEXT];
    /* For the log: the versions of the drivers that the container gets; or "none: " and why it gets
     * none; "" if the store has no driver that is complete and trusted. Complete when
     * cua_hook_drivers_mount has returned. */
    char text[512];
};

/* Prepares a mount for each usable driver of the store that cua_hook_store opens, at most
 * CUA_HOOK_DRIVERS. A driver is usable if it is complete, if only root and this process's user can
 * change it, and if it is newer than the node's kernel driver (cua_hook_is_newer). Makes the mount
 * points in the folder CUA_STORE_NAME of the tmpfs (descriptor `folder`). A container that is
 * `mighty` (struct cua_container, config.h) gets no driver: it could make the mounts writable, or
 * read other files of the node by them. */
void cua_hook_drivers_take(struct cua_hook_drivers *drivers, int folder, const char *home,
                           bool mighty);

/* Attaches the mounts. The tmpfs must be mounted in the container already. If one cannot be
 * attached, the container gets the others. */
void cua_hook_drivers_mount(struct cua_hook_drivers *drivers);

/* Opens the store in the folder `home` of cuarbiter's files or, if there is none, the store
 * CUA_STORE_PACKAGES. Returns true if the store can be used. Returns false, with "" in store->why,
 * if there is no store. Returns false, with the reason in store->why, if the store is not trusted,
 * for example because other users can write to it. Call cua_store_close in every case. */
bool cua_hook_store(struct cua_store *store, const char *home);

/* Whether the driver `version` is newer than the kernel driver `kmd`; true if one of the versions
 * is not known. A driver that is not newer is useless: the host's own driver can do the same. */
bool cua_hook_is_newer(const char *version, const struct cua_version *kmd);

void cua_hook_drivers_release(struct cua_hook_drivers *drivers);

#endif
