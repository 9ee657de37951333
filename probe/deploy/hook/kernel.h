/* SPDX-License-Identifier: Apache-2.0 */
/* System calls that handle mounts by descriptor, which libc, or glibc 2.17, does not have. Their
 * numbers are the same on every architecture; linux/mount.h and linux/openat2.h have the other
 * definitions. */
#ifndef CUA_HOOK_KERNEL_H
#define CUA_HOOK_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/* Stay below this folder, whatever links say, and follow no magic link of /proc. */
#define CUA_INSIDE 0x12u /* RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS */
/* The same; also do not enter another mount, and follow no link at all. */
#define CUA_ONE_MOUNT 0x01u /* RESOLVE_NO_XDEV */
#define CUA_NO_LINKS  0x04u /* RESOLVE_NO_SYMLINKS */

/* Calls openat2(2), Linux 5.6, with O_CLOEXEC. Returns a descriptor, or -errno. */
int cua_open_inside(int folder, const char *path, int flags, unsigned mode, unsigned resolve);

/* Opens the file of an O_PATH descriptor for reading, without waiting. Returns a descriptor, or
 * -errno. */
int cua_open_again(int fd);

/* Makes a detached, private, read-only mount of what lies at `path` ("": of `folder`). Returns its
 * descriptor, or -errno. */
int cua_mount_clone(int folder, const char *path, bool executable);

/* Makes a tmpfs that is not mounted yet. `label`: SELinux's, or "". Returns its descriptor, or
 * -errno. */
int cua_mount_tmpfs(const char *label);

/* Makes the mount read-only. 0 or -errno. */
int cua_mount_seal(int mount);

/* Makes this mount writable again. Returns 0 or -errno. */
int cua_mount_unseal(int mount);

/* Mounts a detached mount on what lies at `place`. 0 or -errno. */
int cua_mount_move(int mount, int place);

/* Call it in a new mount namespace: mounts made there no longer reach other namespaces. 0 or
 * -errno. */
int cua_mount_apart(void);

struct cua_mount {
    uint64_t id, parent; /* only for comparing one of them with another */
    uint64_t device;
    bool readonly, shared;
};

/* The number of the mount that a descriptor lies on. Returns 0 or -errno. */
int cua_mount_id(int fd, uint64_t *id);
int cua_mount_of(int fd, struct cua_mount *mount);

/* Returns a writable descriptor of the same folder, if only the runtime has made its mount
 * read-only; else `folder` itself. */
int cua_mount_writable(int folder);

#endif
