/* SPDX-License-Identifier: Apache-2.0 */
/* What a container gets: copies of the three files on a tmpfs of its own, which no later write to
 * the host's files reaches, its preload file, and the node's site folder. */
#ifndef CUA_HOOK_COPY_H
#define CUA_HOOK_COPY_H

#include "command/hook/container.h"
#include "command/hook/root.h"

struct cua_copy {
    int folder;      /* the tmpfs, detached and read-only; -1 */
    bool writable;   /* the preload file: the container may write it where it may bare */
    int site;        /* where in it the site folder is mounted; -1: the node has none */
    int site_mount;  /* that folder, detached and read-only; -1 */
    const char *why; /* after an error */
};

/* Makes all of it of the host's folder `home`, as `root` needs it, and checks the files. 0 or
 * -errno; cua_copy_release after either. */
int cua_copy_make(struct cua_copy *copy, const struct cua_root *root, const char *home,
                  const struct cua_container *container);

/* Mounts it: the folder, the site folder, and the preload file last, when the shim is found by its
 * name. 0 or -errno, why in either struct. */
int cua_copy_mount(struct cua_copy *copy, struct cua_root *root);

void cua_copy_release(struct cua_copy *copy);

#endif
