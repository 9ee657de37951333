/* SPDX-License-Identifier: Apache-2.0 */
/* For cuarbiter's OCI hook: finds the two places in a container's root file system that the hook
 * mounts on. One is the folder CUA_HOOK_FOLDER, for a tmpfs with cuarbiter's files. The other is
 * the file /etc/ld.so.preload ("the preload file"). What the hook mounts there has the lines of
 * that file and one more, which names the shim, cuarbiter's library in the tmpfs. Links in the root
 * cannot lead out of it. If a place is missing, it is created in the root file system itself, never
 * on another mount such as a volume. Neither the host nor another container sees what the hook
 * mounts. */
#ifndef CUA_HOOK_ROOT_H
#define CUA_HOOK_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CUA_HOOK_FOLDER "opt/cuarbiter" /* relative to the container's root */
/* A file in CUA_HOOK_FOLDER: the sign that the hook has mounted its tmpfs there. */
#define CUA_HOOK_MARK ".by-hook"

struct cua_root {
    int top;       /* descriptor of the root folder; the caller closes it */
    int writable;  /* the same folder, on a writable mount if possible; may equal `top` */
    int folder;    /* descriptor of CUA_HOOK_FOLDER, on which the tmpfs is mounted */
    int preload;   /* descriptor of the preload file, on which the new one is mounted */
    char *text;    /* content of the preload file, "" if there was none; owned */
    size_t length; /* length of `text` */
    unsigned mode; /* mode of the preload file; 0644 if there was none */
    uid_t uid;     /* owner of the preload file; this process's user if there was none */
    gid_t gid;
    bool served;     /* set by cua_root_read: the hook has added cuarbiter before */
    bool sealed;     /* the container's preload file is on a read-only mount */
    unsigned libc;   /* N of the root's glibc, 2.N */
    const char *lib; /* value of $LIB in 64-bit programs; NULL: no 32-bit loader, $LIB not used */
    const char *why; /* the reason, after an error */
};

/* Checks that a mount on the root will appear in this container alone: this process must run in the
 * container's mount namespace, and the root must not be a shared mount or the host's root. `pid`:
 * the container's process; -1 if it is not known. Also sets the descriptors in `root` other than
 * `top` to -1. Returns 0; or -errno, with root->why. */
int cua_root_check(struct cua_root *root, long pid);

/* Opens and reads the preload file; a missing one counts as empty. Returns 0; -EEXIST if the file
 * already names the shim; or another -errno. After -EEXIST, root->served says whether the hook has
 * put the shim there. After any error, root->why is set. */
int cua_root_read(struct cua_root *root);

/* Opens root->folder. If cua_root_read has found no preload file, opens root->preload, too. Creates
 * the folder or the file, empty, if it is missing. Returns 0; or -errno, with root->why. It is an
 * error if the folder is not empty, or if a mount on one of the two would also appear outside the
 * container. */
int cua_root_places(struct cua_root *root);

/* Whether the hook has mounted its tmpfs, which has CUA_HOOK_MARK, in the container with the root
 * folder `top` (a descriptor). */
bool cua_root_served(int top);

/* Whether a process is in the same mount namespace as this one; true also if that cannot be found
 * out. */
bool cua_root_is_beside(long pid);

/* Checks that the shim's path in the container leads to a file on the mount of the descriptor
 * `mount`. If not, ld.so would not find the shim. Returns 0; or -errno (-ESTALE if the file is on
 * another mount), with root->why. */
int cua_root_sees(struct cua_root *root, int mount);

void cua_root_release(struct cua_root *root);

#endif
