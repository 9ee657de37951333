/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of the node that a container sees: mounted, not copied, so that it sees what is later
 * renamed into the folder. */
#ifndef CUA_HOOK_SHARE_H
#define CUA_HOOK_SHARE_H

#include <stdbool.h>

struct cua_hook_share {
    int place; /* the folder in the container's tmpfs; -1: there is nothing to mount */
    int mount; /* the mount for it, not attached yet and read-only; -1 */
};

/* The node's site file, by which cuarbiter can be switched off there, as `site` in the tmpfs
 * `folder`: from the hook's folder `home`, or else from CUA_DIR_SITE. `mighty`: the container could
 * leave the mount, so it gets a copy. */
void cua_hook_share_site(struct cua_hook_share *share, int folder, int home, bool mighty);

/* The folder with the collector's socket, as `reports`; not without a socket there, not if others
 * than root or this user could replace it, and not for a container that could leave the mount. */
void cua_hook_share_reports(struct cua_hook_share *share, int folder, bool mighty);

/* Attaches the mount; the tmpfs is mounted by now. */
void cua_hook_share_mount(const struct cua_hook_share *share);

void cua_hook_share_release(struct cua_hook_share *share);

#endif
