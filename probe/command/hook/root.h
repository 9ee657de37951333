/* SPDX-License-Identifier: Apache-2.0 */
/* The places in a container's root file system where the hook mounts. Whatever its links say,
 * nothing outside of it is looked at, nothing is created but in its own layer, and no mount is made
 * that others would see. */
#ifndef CUA_HOOK_ROOT_H
#define CUA_HOOK_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CUA_HOOK_FOLDER "opt/cuarbiter" /* below the root */

struct cua_root {
    int top;       /* the caller's */
    int writable;  /* the same folder, for creating; may be `top` */
    int folder;    /* where the folder is mounted: empty */
    int preload;   /* where the loader's file is mounted */
    char *text;    /* its content before, owned; "" where there was none */
    size_t length; /* of text */
    unsigned mode; /* of that file */
    uid_t uid;     /* its owner */
    gid_t gid;
    bool sealed;     /* it is mounted read-only */
    unsigned libc;   /* the newest glibc 2.N that programs here may need */
    const char *lib; /* what $LIB is where 32-bit programs may run, else NULL */
    const char *why; /* after an error */
};

/* Whether this root is a container's alone; `pid` is its process as the state has it. 0 or -errno.
 */
int cua_root_check(struct cua_root *root, long pid);

/* Reads ld.so.preload; a missing one is empty. 0 or -errno; -EEXIST if it already names the shim.
 */
int cua_root_read(struct cua_root *root);

/* Finds, or creates empty, both places. 0 or -errno. */
int cua_root_places(struct cua_root *root);

/* Whether the shim is found by its name as the loader will look for it, on this mount. */
int cua_root_sees(struct cua_root *root, int mount);

void cua_root_release(struct cua_root *root);

#endif
