/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the places in a container's root file system where the hook mounts. Whatever links there
 * say, nothing outside the root is read, files are created only in the container's own layer, and
 * no mount is made that other containers or the host would see. */
#ifndef CUA_HOOK_ROOT_H
#define CUA_HOOK_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CUA_HOOK_FOLDER "opt/cuarbiter" /* relative to the root */

struct cua_root {
    int top;       /* the root; belongs to the caller */
    int writable;  /* the root, through a mount in which files can be created; may be `top` */
    int folder;    /* the empty folder on which ours is mounted */
    int preload;   /* the loader's preload file, on which ours is mounted */
    char *text;    /* what the preload file contains, owned; "" if there was none */
    size_t length; /* length of `text` */
    unsigned mode; /* mode of the preload file */
    uid_t uid;     /* owner of the preload file */
    gid_t gid;
    bool sealed;     /* the root is mounted read-only */
    unsigned libc;   /* N of glibc 2.N, the newest version that libraries may require here */
    const char *lib; /* value of $LIB if 32-bit programs can run, else NULL */
    const char *why; /* the reason, after an error */
};

/* Whether this root belongs to one container only; `pid` is that container's process, from the
 * state. 0 or -errno. */
int cua_root_check(struct cua_root *root, long pid);

/* Reads ld.so.preload; a missing file counts as empty. 0 or -errno; -EEXIST if it already names the
 * shim. */
int cua_root_read(struct cua_root *root);

/* Finds `folder` and `preload`, or creates them empty. 0 or -errno. */
int cua_root_places(struct cua_root *root);

/* Whether the loader will find the shim by its name on this mount. */
int cua_root_sees(struct cua_root *root, int mount);

void cua_root_release(struct cua_root *root);

#endif
