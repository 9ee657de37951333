/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a container the drivers that `cuarbiter driver add` brought to the node: one read-only
 * mount for each usable driver in the node's store (drivers/store.h) when the container starts. The
 * drivers are not copied: each takes about a hundred megabytes, and the kernel would charge a copy
 * to the container's memory. */
#ifndef CUA_HOOK_BROUGHT_H
#define CUA_HOOK_BROUGHT_H

#include <stdbool.h>

#include "base/version.h"
#include "drivers/store.h"

#define CUA_HOOK_DRIVERS 32 /* most drivers that one container gets */

struct cua_hook_drivers {
    unsigned count;
    int place[CUA_HOOK_DRIVERS]; /* the mount point, a folder in the container's tmpfs */
    int mount[CUA_HOOK_DRIVERS]; /* its mount, which cua_hook_drivers_mount attaches */
    /* For the log: the versions; or "none: " and why; "" if the node has no driver. */
    char text[512];
};

/* Prepares a mount for each usable driver of the store that cua_hook_store opens, for at most
 * CUA_HOOK_DRIVERS. Makes the mount points below `drivers` in the tmpfs `folder`. A driver is
 * usable if it is complete, if only root and this process's user can change it, and if it is newer
 * than the node's kernel driver (cua_hook_is_newer). `mighty`: as in struct cua_container
 * (config.h); such a container gets no driver. */
void cua_hook_drivers_take(struct cua_hook_drivers *drivers, int folder, const char *home,
                           bool mighty);

/* Attaches the mounts. The tmpfs must be mounted in the container already. If one cannot be
 * attached, drivers->text becomes "none: " and why. */
void cua_hook_drivers_mount(struct cua_hook_drivers *drivers);

/* Opens the store in the folder `home` of cuarbiter's files or, if there is none, the store
 * CUA_STORE_PACKAGES. False if there is neither, with "" in store->why; or if the store is refused,
 * with the reason in store->why. Call cua_store_close in either case. */
bool cua_hook_store(struct cua_store *store, const char *home);

/* Whether the driver `version` is newer than the kernel driver `kmd`; true if one of the versions
 * is not known. A driver that is not newer is useless: the host's own driver can do the same. */
bool cua_hook_is_newer(const char *version, const struct cua_version *kmd);

void cua_hook_drivers_release(struct cua_hook_drivers *drivers);

#endif
