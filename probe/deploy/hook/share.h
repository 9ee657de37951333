/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of the node that a container sees. It is mounted, not copied, so that the container also
 * sees files that are renamed into it later. */
#ifndef CUA_HOOK_SHARE_H
#define CUA_HOOK_SHARE_H

#include <stdbool.h>

struct cua_hook_share {
    int place; /* the folder in the container's tmpfs; -1: there is nothing to mount */
    int mount; /* the read-only mount for it, not attached yet; -1: none */
};

/* Prepares `site` in the tmpfs `folder`: the folder with the node's site file, by which an
 * administrator can switch cuarbiter off on the node. The source is `site` in the hook's folder
 * `home` or, if that does not exist, CUA_DIR_SITE. `mighty`: as in struct cua_container (config.h);
 * such a container gets a copy, not a mount. */
void cua_hook_share_site(struct cua_hook_share *share, int folder, int home, bool mighty);

/* Prepares `reports` in the tmpfs `folder`: the folder with the collector's socket. Prepares
 * nothing if there is no socket, if users other than root and this process's user could replace it,
 * or if the container is `mighty`. */
void cua_hook_share_reports(struct cua_hook_share *share, int folder, bool mighty);

/* Attaches the mount. The tmpfs must be mounted in the container already. */
void cua_hook_share_mount(const struct cua_hook_share *share);

void cua_hook_share_release(struct cua_hook_share *share);

#endif
