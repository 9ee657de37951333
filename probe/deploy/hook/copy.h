/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the files that a container gets. The shim, the answerer and the command are copied to a new
 * tmpfs, so that later writes to the host's files do not change them; the container's new
 * ld.so.preload ("the preload file") is written there too. Folders of the node are mounted inside
 * the tmpfs: the one with the site file and the one with the collector's socket (share.h), and the
 * drivers that were brought to the node (brought.h). */
#ifndef CUA_HOOK_COPY_H
#define CUA_HOOK_COPY_H

#include "deploy/hook/brought.h"
#include "deploy/hook/container.h"
#include "deploy/hook/root.h"
#include "deploy/hook/share.h"

struct cua_copy {
    int folder;    /* descriptor of the tmpfs, read-only, not mounted yet; negative: none */
    bool writable; /* the container may write the preload file, as it could without cuarbiter */
    struct cua_hook_share site, reports;
    struct cua_hook_drivers drivers;
    const char *why; /* the reason, after an error */
};

/* Makes the tmpfs, which becomes read-only, and prepares the mounts inside it. Copies and checks
 * the files in the host's folder `home`. `root` must have been filled in by cua_root_libc and
 * cua_root_read. Returns 0; or -errno, with the reason in copy->why. Call cua_copy_release in
 * either case. */
int cua_copy_make(struct cua_copy *copy, const struct cua_root *root, const char *home,
                  const struct cua_container *container);

/* Mounts the tmpfs and the mounts inside it on root->folder, then checks that the shim can be found
 * by its path in the container. Then mounts the preload file, which names that path, on
 * root->preload. Returns 0; or -errno, with the reason in copy->why or root->why. */
int cua_copy_mount(struct cua_copy *copy, struct cua_root *root);

void cua_copy_release(struct cua_copy *copy);

#endif
