/* SPDX-License-Identifier: Apache-2.0 */
/* For cuarbiter's OCI hook: folders of the node that the hook mounts in a container, inside the
 * tmpfs with cuarbiter's files (copy.h). They are mounted, not copied, so that the container also
 * sees files that are renamed into them later. A container that is `mighty` (struct cua_container,
 * config.h) could make such a mount writable, or read other files of the node through the mount. */
#ifndef CUA_HOOK_SHARE_H
#define CUA_HOOK_SHARE_H

#include <stdbool.h>

struct cua_hook_share {
    int place; /* descriptor of the mount point, a folder in the tmpfs; -1: mount nothing */
    int mount; /* descriptor of the read-only mount for it; negative: none */
};

/* Prepares a mount of the node's folder with the site file at the mount point `site` in the tmpfs
 * `folder`. By the site file an administrator can switch cuarbiter off in containers. The node's
 * folder is `site` in the folder `home` of cuarbiter's files (a descriptor) or, if that cannot be
 * opened, CUA_DIR_SITE. If neither can be opened, prepares nothing. A container that is `mighty`
 * gets a copy of the file, not a mount. */
void cua_hook_share_site(struct cua_hook_share *share, int folder, int home, bool mighty);

/* Prepares a mount of the node's folder CUA_DIR_REPORTS at the mount point `reports` in the tmpfs
 * `folder`. The node's folder has the socket by which `cuarbiter node collect` receives reports of
 * processes. Prepares nothing if there is no socket, if users other than root and this process's
 * user could replace it, or if the container is `mighty`. */
void cua_hook_share_reports(struct cua_hook_share *share, int folder, bool mighty);

/* Attaches the mount, if one is prepared. The tmpfs must be mounted in the container already. */
void cua_hook_share_mount(const struct cua_hook_share *share);

void cua_hook_share_release(struct cua_hook_share *share);

#endif
