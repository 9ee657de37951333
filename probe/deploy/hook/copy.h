/* SPDX-License-Identifier: Apache-2.0 */
/* Makes what a container gets. On a separate tmpfs: copies of shim, answerer and command, which
 * later writes to the host's files do not change, and the preload file. As mounts: the node's site
 * folder, the collector's folder, and the drivers that were brought to the node. */
#ifndef CUA_HOOK_COPY_H
#define CUA_HOOK_COPY_H

#include "deploy/hook/brought.h"
#include "deploy/hook/container.h"
#include "deploy/hook/root.h"
#include "deploy/hook/share.h"

struct cua_copy {
    int folder;    /* descriptor of the tmpfs, read-only, not mounted yet; -1: none */
    bool writable; /* the container may write the preload file, as it could without cuarbiter */
    struct cua_hook_share site, reports;
    struct cua_hook_drivers drivers;
    const char *why; /* the reason, after an error */
};

/* Makes all of this from the host's folder `home`, for the libc and the preload file of `root`, and
 * checks the files. Returns 0 or -errno; call cua_copy_release in either case. */
int cua_copy_make(struct cua_copy *copy, const struct cua_root *root, const char *home,
                  const struct cua_container *container);

/* Mounts the tmpfs, then the mounts inside it, then, if the shim can be found by its name, the
 * preload file. Returns 0; or -errno, with the reason in copy->why or root->why. */
int cua_copy_mount(struct cua_copy *copy, struct cua_root *root);

void cua_copy_release(struct cua_copy *copy);

#endif
