/* SPDX-License-Identifier: Apache-2.0 */
/* For cuarbiter's OCI hook: makes the files that a container gets, in a new tmpfs. Three are
 * copies, so that later writes to the host's files do not change them:
 * - the shim, the library that ld.so preloads into the container's programs;
 * - the answerer, a program that the shim starts to choose a libcuda;
 * - the command `cuarbiter`.
 * The container's new ld.so.preload ("the preload file") is there too. Inside the tmpfs, these are
 * mounted from the node:
 * - the folder with cuarbiter's settings for the node, the site file (share.h);
 * - the folder with the socket of `cuarbiter node collect` (share.h);
 * - the drivers that were brought to the node (brought.h). */
#ifndef CUA_HOOK_COPY_H
#define CUA_HOOK_COPY_H

#include "deploy/hook/brought.h"
#include "deploy/hook/container.h"
#include "deploy/hook/root.h"
#include "deploy/hook/share.h"

struct cua_copy {
    int folder;    /* descriptor of the tmpfs; negative: none */
    bool writable; /* the container may write the preload file, as it could without cuarbiter */
    struct cua_hook_share site, reports;
    struct cua_hook_drivers drivers;
    const char *why; /* the reason, after an error */
};

/* Makes the tmpfs: checks the shim, the answerer and the command in the host's folder `home`,
 * copies them, writes the preload file, and makes the tmpfs read-only. Prepares the mounts inside
 * it. `root` must have been filled in by cua_root_libc and cua_root_read. Returns 0; or -errno,
 * with the reason in copy->why. Call cua_copy_release in either case. */
int cua_copy_make(struct cua_copy *copy, const struct cua_root *root, const char *home,
                  const struct cua_container *container);

/* Mounts the tmpfs on root->folder, and the folders of the node and the drivers inside it. Then
 * checks that the shim can be found by its path in the container. Then mounts the preload file,
 * which names that path, on root->preload. Returns 0; or -errno, with the reason in copy->why or
 * root->why. */
int cua_copy_mount(struct cua_copy *copy, struct cua_root *root);

void cua_copy_release(struct cua_copy *copy);

#endif
