/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a container the drivers that were brought to the node: one read-only mount for each version
 * that the node's store has when the container starts. They are not copied, because a driver has a
 * hundred megabytes and the kernel would charge them to the container. */
#ifndef CUA_HOOK_BROUGHT_H
#define CUA_HOOK_BROUGHT_H

#include <stdbool.h>

#include "base/version.h"
#include "drivers/store.h"

#define CUA_HOOK_DRIVERS 32 /* how many are mounted */

struct cua_hook_drivers {
    unsigned count;
    int place[CUA_HOOK_DRIVERS]; /* a folder in the container's tmpfs */
    int mount[CUA_HOOK_DRIVERS]; /* the mount for it, not attached yet */
    char text[512]; /* for the log: the versions, or "none: " and why; "": the node has none */
};

/* Reads the store of the hook's folder `home`, else the packages' store, and makes the folder
 * `drivers` in the tmpfs `folder`. Drivers that others than root or this user could change are left
 * out, and those that are not newer than the node's kernel driver. `mighty`: the container could
 * leave a mount, so it gets no driver. */
void cua_hook_drivers_take(struct cua_hook_drivers *drivers, int folder, const char *home,
                           bool mighty);

/* Attaches the mounts; `folder` is mounted by now. */
void cua_hook_drivers_mount(struct cua_hook_drivers *drivers);

/* Opens that store; false: there is none, or it is not used, and then store->why says why. */
bool cua_hook_store(struct cua_store *store, const char *home);

/* Whether a driver of the store can serve on a node with this kernel driver, which may be unknown:
 * the host's own driver serves what one that is not newer would. */
bool cua_hook_is_newer(const char *version, const struct cua_version *kmd);

void cua_hook_drivers_release(struct cua_hook_drivers *drivers);

#endif
