/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's calls for mounts by descriptor, which libc has not or not from the floor on. The
 * numbers are those of every architecture, linux/mount.h and linux/openat2.h have the rest. */
#ifndef CUA_HOOK_KERNEL_H
#define CUA_HOOK_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/* Below this folder, whatever links say, and through none of /proc's. */
#define CUA_INSIDE 0x12u /* RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS */
/* The same, not into another mount, and through no link at all. */
#define CUA_ONE_MOUNT 0x01u /* RESOLVE_NO_XDEV */
#define CUA_NO_LINKS  0x04u /* RESOLVE_NO_SYMLINKS */

/* openat2(2), Linux 5.6, with O_CLOEXEC. A descriptor, or -errno. */
int cua_open_inside(int folder, const char *path, int flags, unsigned mode, unsigned resolve);

/* What lies at an O_PATH descriptor, opened for reading without waiting. -errno. */
int cua_open_again(int fd);

/* A detached, private, read-only mount of what lies at `path` (with "": at `folder`). -errno. */
int cua_mount_clone(int folder, const char *path, bool executable);

/* A tmpfs that is mounted nowhere; `label` (or ""): SELinux's. -errno. */
int cua_mount_tmpfs(const char *label);

/* No later write goes through this mount. 0 or -errno. */
int cua_mount_seal(int mount);

/* Takes that back for this mount. 0 or -errno. */
int cua_mount_unseal(int mount);

/* Mounts what is detached on what lies at `place`. 0 or -errno. */
int cua_mount_move(int mount, int place);

/* In a mount namespace that was just made: no mount made here reaches another. 0 or -errno. */
int cua_mount_apart(void);

struct cua_mount {
    uint64_t id, parent; /* numbers that mean something beside each other alone */
    uint64_t device;
    bool readonly, shared;
};

/* The mount that a descriptor lies on; its number alone. 0 or -errno. */
int cua_mount_id(int fd, uint64_t *id);
int cua_mount_of(int fd, struct cua_mount *mount);

/* A descriptor of the same folder through which can be written where only the runtime's own flag
 * makes the mount read-only; else `folder` itself. */
int cua_mount_writable(int folder);

#endif
