/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the two places in a container's root file system that the hook mounts on: the folder
 * CUA_HOOK_FOLDER and the file /etc/ld.so.preload. Links in the root do not lead out of it. Files
 * are created in the container's own layer and nowhere else. Neither the host nor another container
 * sees the mounts. */
#ifndef CUA_HOOK_ROOT_H
#define CUA_HOOK_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CUA_HOOK_FOLDER "opt/cuarbiter" /* relative to the container's root */
#define CUA_HOOK_MARK   ".by-hook"      /* a file there: the sign that the hook made the folder */

struct cua_root {
    int top;       /* descriptor of the root; the caller closes it */
    int writable;  /* the same folder, on a writable mount if possible; may equal `top` */
    int folder;    /* the empty folder on which the tmpfs is mounted */
    int preload;   /* the container's ld.so.preload, on which the new one is mounted */
    char *text;    /* content of the preload file, to be freed; "" if there was none */
    size_t length; /* length of `text` */
    unsigned mode; /* mode of the preload file */
    uid_t uid;     /* owner of the preload file */
    gid_t gid;
    bool served;     /* after -EEXIST: the hook has served this container before */
    bool sealed;     /* the container's preload file is on a read-only mount */
    unsigned libc;   /* N of the root's glibc, 2.N */
    const char *lib; /* what $LIB means to 64-bit programs; NULL: no 32-bit program can run */
    const char *why; /* the reason, after an error */
};

/* Checks that a mount on the root will appear in this container alone: this process runs in the
 * container's mount namespace, and the root is a private mount and not the host's root. `pid`: the
 * container's process, from the state. 0 or -errno. */
int cua_root_check(struct cua_root *root, long pid);

/* Reads ld.so.preload; a missing file counts as empty. 0 or -errno; -EEXIST if the file already
 * names the shim. */
int cua_root_read(struct cua_root *root);

/* Finds `folder` and `preload`, or creates them empty. 0 or -errno. */
int cua_root_places(struct cua_root *root);

/* Whether the container with the root folder `top` got cuarbiter from the hook. */
bool cua_root_served(int top);

/* Checks that the shim's path in the container leads to a file on the mount of the descriptor
 * `mount`. If not, ld.so would not find the shim. 0 or -errno. */
int cua_root_sees(struct cua_root *root, int mount);

void cua_root_release(struct cua_root *root);

#endif
