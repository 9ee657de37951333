/* SPDX-License-Identifier: Apache-2.0 */
/* System calls that handle mounts by descriptor. glibc 2.17, the oldest that cuarbiter supports,
 * has no functions for them. Their numbers are the same on x86_64 and aarch64. linux/mount.h and
 * linux/openat2.h define their flags. */
#ifndef CUA_HOOK_KERNEL_H
#define CUA_HOOK_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/* Why the hook does not work if a system call is missing (-ENOSYS). */
#define CUA_HOOK_KERNEL "this kernel is too old: the hook needs Linux 5.12 or later"

/* For the argument `resolve` of cua_open_inside: resolve links as if `folder` were the root, and
 * follow no magic link of /proc. */
#define CUA_INSIDE 0x12u /* RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS */
/* Also for `resolve`. CUA_ONE_MOUNT: do not enter another mount. CUA_NO_LINKS: follow no link at
 * all. */
#define CUA_ONE_MOUNT 0x01u /* RESOLVE_NO_XDEV */
#define CUA_NO_LINKS  0x04u /* RESOLVE_NO_SYMLINKS */

/* Calls openat2(2), which Linux 5.6 and later have, with O_CLOEXEC. Returns a descriptor, or
 * -errno. */
int cua_open_inside(int folder, const char *path, int flags, unsigned mode, unsigned resolve);

/* Opens the file of an O_PATH descriptor for reading, with O_NONBLOCK. Returns a descriptor, or
 * -errno. */
int cua_open_again(int fd);

/* Makes a mount of the file or folder `path` in `folder` ("": of `folder` itself) that is not
 * attached anywhere yet. It is private, read-only, nosuid, nodev and, unless `executable`, noexec.
 * Returns its descriptor, or -errno. */
int cua_mount_clone(int folder, const char *path, bool executable);

/* Makes a tmpfs of 8 MiB that is not attached anywhere yet. `label`: the SELinux label of its
 * files; "": none. Returns its descriptor, or -errno. */
int cua_mount_tmpfs(const char *label);

/* Makes a mount read-only, private, nosuid and nodev. 0 or -errno. */
int cua_mount_seal(int mount);

/* Makes a mount writable again after cua_mount_seal; it stays private, nosuid and nodev. 0 or
 * -errno. */
int cua_mount_unseal(int mount);

/* Attaches the mount `mount`, which is not attached yet, on top of the file or folder `place`, a
 * descriptor. 0 or -errno. */
int cua_mount_move(int mount, int place);

/* Makes all mounts of this mount namespace private, so that new ones do not appear in other
 * namespaces. To be called in a new mount namespace. 0 or -errno. */
int cua_mount_apart(void);

struct cua_mount {
    uint64_t id, parent; /* only for comparisons with IDs from the functions below */
    uint64_t device;     /* of the file system, as in st_dev but in another encoding */
    bool readonly, shared;
};

/* Find the mount that the file of a descriptor is on. 0 or -errno. */
int cua_mount_id(int fd, uint64_t *id);
int cua_mount_of(int fd, struct cua_mount *mount);

/* If the container runtime, and nobody else, has made the mount of `folder` read-only, returns a
 * new descriptor of the same folder on a writable mount. Otherwise, and on failure, returns
 * `folder` itself. */
int cua_mount_writable(int folder);

#endif
