/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the places in a container's root file system where the hook mounts. Wherever links in the
 * root lead, nothing outside the root is read, files are created only in the container's own layer,
 * and no other container sees the mounts, nor does the host. */
#ifndef CUA_HOOK_ROOT_H
#define CUA_HOOK_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CUA_HOOK_FOLDER "opt/cuarbiter" /* relative to the root */
#define CUA_HOOK_MARK   ".by-hook"      /* a file in that folder: the hook has made it */

struct cua_root {
    int top;       /* the root; belongs to the caller */
    int writable;  /* the root, by a mount that is writable if possible; may be `top` */
    int folder;    /* the empty folder on which the tmpfs is mounted */
    int preload;   /* the container's ld.so.preload, on which the new one is mounted */
    char *text;    /* content of the preload file, to be freed; "" if there was none */
    size_t length; /* length of `text` */
    unsigned mode; /* mode of the preload file */
    uid_t uid;     /* owner of the preload file */
    gid_t gid;
    bool served;     /* after -EEXIST: the hook itself has added the line */
    bool sealed;     /* the container's preload file is on a read-only mount */
    unsigned libc;   /* N of the root's glibc, 2.N */
    const char *lib; /* value of $LIB if 32-bit programs can run, else NULL */
    const char *why; /* the reason, after an error */
};

/* Checks that the hook runs in the container's mount namespace, and that the root is the
 * container's own. `pid`: the container's process, from the state. 0 or -errno. */
int cua_root_check(struct cua_root *root, long pid);

/* Reads ld.so.preload; a missing file counts as empty. 0 or -errno; -EEXIST if the file already
 * names the shim. */
int cua_root_read(struct cua_root *root);

/* Finds `folder` and `preload`, or creates them empty. 0 or -errno. */
int cua_root_places(struct cua_root *root);

/* Whether the container with the root folder `top` got cuarbiter from the hook. */
bool cua_root_served(int top);

/* Checks that the shim's path in the container leads to this mount. 0 or -errno. */
int cua_root_sees(struct cua_root *root, int mount);

void cua_root_release(struct cua_root *root);

#endif
