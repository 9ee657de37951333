/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of the node that the hook mounts in a container, inside the tmpfs with cuarbiter's files.
 * They are mounted, not copied, so that the container also sees files that are renamed into them
 * later. */
#ifndef CUA_HOOK_SHARE_H
#define CUA_HOOK_SHARE_H

#include <stdbool.h>

struct cua_hook_share {
    int place; /* the mount point, a folder in the container's tmpfs; -1: mount nothing */
    int mount; /* the read-only mount for it, attached by cua_hook_share_mount; negative: none */
};

/* Prepares `site` in the tmpfs `folder`: the node's folder with the site file, by which an
 * administrator can switch cuarbiter off on the node. That folder is `site` in the folder `home` of
 * cuarbiter's files (a descriptor) or, if that cannot be opened, CUA_DIR_SITE; if neither can,
 * prepares nothing. `mighty`: as in struct cua_container (config.h); such a container gets a copy
 * of the file, not a mount. */
void cua_hook_share_site(struct cua_hook_share *share, int folder, int home, bool mighty);

/* Prepares `reports` in the tmpfs `folder`: the node's folder CUA_DIR_REPORTS, with the socket by
 * which `cuarbiter node collect` receives reports of processes. Prepares nothing if there is no
 * socket, if users other than root and this process's user could replace it, or if the container is
 * `mighty`. */
void cua_hook_share_reports(struct cua_hook_share *share, int folder, bool mighty);

/* Attaches the mount, if one is prepared. The tmpfs must be mounted in the container already. */
void cua_hook_share_mount(const struct cua_hook_share *share);

void cua_hook_share_release(struct cua_hook_share *share);

#endif
