/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a container the drivers that were brought to the node: one read-only mount for each version
 * that the node's store has when the container starts. The drivers are not copied: each takes about
 * a hundred megabytes, and the kernel would charge a copy to the container's memory. */
#ifndef CUA_HOOK_BROUGHT_H
#define CUA_HOOK_BROUGHT_H

#include <stdbool.h>

#include "base/version.h"
#include "drivers/store.h"

#define CUA_HOOK_DRIVERS 32 /* most drivers that one container gets */

struct cua_hook_drivers {
    unsigned count;
    int place[CUA_HOOK_DRIVERS]; /* the mount point, a folder in the container's tmpfs */
    int mount[CUA_HOOK_DRIVERS]; /* the mount for it, not attached yet */
    char text[512]; /* for the log: the versions; "none: " and why; "": the node has none */
};

/* Prepares a mount for each usable driver of the store beside the hook's files (`home`) or, if that
 * store does not exist, of the store CUA_STORE_PACKAGES. Makes the mount points below `drivers` in
 * the tmpfs `folder`. Leaves out drivers that users other than root and this process's user could
 * change, and drivers that are not newer than the node's kernel driver. `mighty`: as in struct
 * cua_container (config.h); such a container gets no driver. */
void cua_hook_drivers_take(struct cua_hook_drivers *drivers, int folder, const char *home,
                           bool mighty);

/* Attaches the mounts. The tmpfs must be mounted in the container already. */
void cua_hook_drivers_mount(struct cua_hook_drivers *drivers);

/* Opens the store that cua_hook_drivers_take reads. False without store->why: there is none. False
 * with store->why: the store is refused for this reason. */
bool cua_hook_store(struct cua_store *store, const char *home);

/* Whether the driver `version` is newer than the kernel driver `kmd`; true if one of the versions
 * is not known. A driver that is not newer is useless: the host's own driver can do the same. */
bool cua_hook_is_newer(const char *version, const struct cua_version *kmd);

void cua_hook_drivers_release(struct cua_hook_drivers *drivers);

#endif
