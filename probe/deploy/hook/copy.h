/* SPDX-License-Identifier: Apache-2.0 */
/* Makes what a container gets: on a separate tmpfs copies of the three files, so that later writes
 * to the host's files do not reach it, and its preload file; and mounts of the node's site folder,
 * of its collector's folder and of the drivers that were brought to it. */
#ifndef CUA_HOOK_COPY_H
#define CUA_HOOK_COPY_H

#include "deploy/hook/brought.h"
#include "deploy/hook/container.h"
#include "deploy/hook/root.h"
#include "deploy/hook/share.h"

struct cua_copy {
    int folder;    /* descriptor of the tmpfs, not mounted yet and read-only; -1 */
    bool writable; /* the container may write the preload file, as it could without cuarbiter */
    struct cua_hook_share site, reports;
    struct cua_hook_drivers drivers;
    const char *why; /* the reason, after an error */
};

/* Makes everything from the host's folder `home`, as `root` needs it, and checks the files. Returns
 * 0 or -errno; call cua_copy_release in either case. */
int cua_copy_make(struct cua_copy *copy, const struct cua_root *root, const char *home,
                  const struct cua_container *container);

/* Mounts the folder, what is mounted in it and, once the shim can be found by its name, the preload
 * file. Returns 0 or -errno; then `copy` or `root` has the reason. */
int cua_copy_mount(struct cua_copy *copy, struct cua_root *root);

void cua_copy_release(struct cua_copy *copy);

#endif
