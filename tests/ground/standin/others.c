/* SPDX-License-Identifier: Apache-2.0 */
/* access, readlink, and what keeps a libcuda run by root from making device nodes. */
#undef _FILE_OFFSET_BITS
#include "standin.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CUA_PLAY __attribute__((visibility("default")))

static int do_access(int dirfd, const char *path, int mode, int flags)
{
    struct cua_node node;
    int answer = 0;

    cua_look(path, &node);
    if (node.kind == CUA_NOT_OURS) {
        if (flags)
            return (int)syscall(SYS_faccessat2, dirfd, path, mode, flags);
        return (int)syscall(SYS_faccessat, dirfd, path, mode);
    }
    if (node.kind == CUA_ABSENT) {
        errno = ENOENT;
        answer = -1;
    } else if (node.kind >= CUA_FILE && (mode & W_OK)) {
        errno = EACCES;
        answer = -1;
    }
    cua_log("access", path, answer);
    return answer;
}

CUA_PLAY int access(const char *path, int mode)
{
    return do_access(AT_FDCWD, path, mode, 0);
}

CUA_PLAY int faccessat(int dirfd, const char *path, int mode, int flags)
{
    return do_access(dirfd, path, mode, flags);
}

CUA_PLAY int euidaccess(const char *path, int mode)
{
    return do_access(AT_FDCWD, path, mode, AT_EACCESS);
}

CUA_PLAY int eaccess(const char *path, int mode)
{
    return do_access(AT_FDCWD, path, mode, AT_EACCESS);
}

CUA_PLAY ssize_t readlink(const char *restrict path, char *restrict buffer, size_t size)
{
    struct cua_node node;

    cua_look(path, &node);
    if (node.kind == CUA_NOT_OURS)
        return syscall(SYS_readlinkat, AT_FDCWD, path, buffer, size);
    errno = node.kind == CUA_ABSENT ? ENOENT : EINVAL;
    return -1;
}

/* Also without STANDIN_KMD: no test may leave a node behind. */
static bool nvidia_node(const char *path)
{
    return path && !strncmp(path, "/dev/nvidia", 11);
}

static int do_mknod(int dirfd, const char *path, mode_t mode, dev_t dev)
{
    if (!nvidia_node(path))
        return (int)syscall(SYS_mknodat, dirfd, path, mode, (unsigned)dev);
    cua_log("mknod", path, 0);
    if (cua_kmd())
        return 0;
    errno = EPERM;
    return -1;
}

CUA_PLAY int mknod(const char *path, mode_t mode, dev_t dev)
{
    return do_mknod(AT_FDCWD, path, mode, dev);
}

CUA_PLAY int mknodat(int dirfd, const char *path, mode_t mode, dev_t dev)
{
    return do_mknod(dirfd, path, mode, dev);
}

int __xmknod(int version, const char *path, mode_t mode, dev_t *dev);
int __xmknodat(int version, int dirfd, const char *path, mode_t mode, dev_t *dev);

CUA_PLAY int __xmknod(int version, const char *path, mode_t mode, dev_t *dev)
{
    (void)version;
    return do_mknod(AT_FDCWD, path, mode, *dev);
}

CUA_PLAY int __xmknodat(int version, int dirfd, const char *path, mode_t mode, dev_t *dev)
{
    (void)version;
    return do_mknod(dirfd, path, mode, *dev);
}

CUA_PLAY int chmod(const char *path, mode_t mode)
{
    if (nvidia_node(path) && cua_kmd())
        return 0;
    return (int)syscall(SYS_fchmodat, AT_FDCWD, path, mode);
}

CUA_PLAY int chown(const char *path, uid_t owner, gid_t group)
{
    if (nvidia_node(path) && cua_kmd())
        return 0;
    return (int)syscall(SYS_fchownat, AT_FDCWD, path, owner, group, 0);
}
