/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about a path: stat in all the forms that libc has had, access, mknod. The structs
 * of stat and stat64 are one and the same on the 64-bit machines that this is built for.
 */
#undef _FILE_OFFSET_BITS
#include "standin.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define CUA_PLAY __attribute__((visibility("default")))

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "64-bit machines only");

static dev_t number_of(enum cua_kind kind)
{
    switch (kind) {
    case CUA_DEV_CTL:
        return makedev(195, 255);
    case CUA_DEV_OTHER:
        return makedev(195, 254);
    default:
        return makedev(510, 0);
    }
}

static void fill(enum cua_kind kind, struct stat *st)
{
    memset(st, 0, sizeof *st);
    st->st_nlink = 1;
    st->st_ino = 4200 + (ino_t)kind;
    st->st_blksize = 4096;
    switch (kind) {
    case CUA_FOLDER:
        st->st_mode = S_IFDIR | 0555;
        break;
    case CUA_FILE:
        st->st_mode = S_IFREG | 0444;
        break;
    default:
        st->st_mode = S_IFCHR | 0666;
        st->st_rdev = number_of(kind);
        break;
    }
}

static int do_stat(int dirfd, const char *path, void *st, int flags)
{
    struct cua_node node;
    int answer = 0;

    cua_look(path, &node);
    if (node.kind == CUA_NOT_OURS)
        return (int)syscall(SYS_newfstatat, dirfd, path, st, flags);
    if (node.kind == CUA_ABSENT) {
        errno = ENOENT;
        answer = -1;
    } else if (node.from_root)
        answer = (int)syscall(SYS_newfstatat, AT_FDCWD, node.real, st, flags);
    else
        fill(node.kind, st);
    cua_log("stat", path, answer);
    return answer;
}

static int do_fstat(int fd, void *st)
{
    enum cua_kind kind = cua_remembered(fd);

    if (kind == CUA_NOT_OURS)
        return (int)syscall(SYS_fstat, fd, st);
    fill(kind, st);
    return 0;
}

CUA_PLAY int stat(const char *restrict path, struct stat *restrict st)
{
    return do_stat(AT_FDCWD, path, st, 0);
}

CUA_PLAY int stat64(const char *restrict path, struct stat64 *restrict st)
{
    return do_stat(AT_FDCWD, path, st, 0);
}

CUA_PLAY int lstat(const char *restrict path, struct stat *restrict st)
{
    return do_stat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

CUA_PLAY int lstat64(const char *restrict path, struct stat64 *restrict st)
{
    return do_stat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

CUA_PLAY int fstatat(int dirfd, const char *restrict path, struct stat *restrict st, int flags)
{
    return do_stat(dirfd, path, st, flags);
}

CUA_PLAY int fstatat64(int dirfd, const char *restrict path, struct stat64 *restrict st, int flags)
{
    return do_stat(dirfd, path, st, flags);
}

CUA_PLAY int fstat(int fd, struct stat *st)
{
    return do_fstat(fd, st);
}

CUA_PLAY int fstat64(int fd, struct stat64 *st)
{
    return do_fstat(fd, st);
}

/* The names of glibc before 2.33; programs built there, libcuda among them, still use them. */
#define CUA_XSTAT(name, flags)                                                                     \
    int name(int version, const char *path, void *st);                                             \
    CUA_PLAY int name(int version, const char *path, void *st)                                     \
    {                                                                                              \
        (void)version;                                                                             \
        return do_stat(AT_FDCWD, path, st, flags);                                                 \
    }

#define CUA_FXSTATAT(name)                                                                         \
    int name(int version, int dirfd, const char *path, void *st, int flags);                       \
    CUA_PLAY int name(int version, int dirfd, const char *path, void *st, int flags)               \
    {                                                                                              \
        (void)version;                                                                             \
        return do_stat(dirfd, path, st, flags);                                                    \
    }

#define CUA_FXSTAT(name)                                                                           \
    int name(int version, int fd, void *st);                                                       \
    CUA_PLAY int name(int version, int fd, void *st)                                               \
    {                                                                                              \
        (void)version;                                                                             \
        return do_fstat(fd, st);                                                                   \
    }

CUA_XSTAT(__xstat, 0)
CUA_XSTAT(__xstat64, 0)
CUA_XSTAT(__lxstat, AT_SYMLINK_NOFOLLOW)
CUA_XSTAT(__lxstat64, AT_SYMLINK_NOFOLLOW)
CUA_FXSTATAT(__fxstatat)
CUA_FXSTATAT(__fxstatat64)
CUA_FXSTAT(__fxstat)
CUA_FXSTAT(__fxstat64)

/* Coreutils ask by statx: what they print is to agree. */
CUA_PLAY int statx(int dirfd, const char *restrict path, int flags, unsigned mask,
                   struct statx *restrict stx)
{
    struct cua_node node;
    struct stat st;

    cua_look(path, &node);
    if (node.kind == CUA_NOT_OURS)
        return (int)syscall(SYS_statx, dirfd, path, flags, mask, stx);
    if (do_stat(AT_FDCWD, path, &st, flags & AT_SYMLINK_NOFOLLOW))
        return -1;
    memset(stx, 0, sizeof *stx);
    stx->stx_mask = STATX_BASIC_STATS;
    stx->stx_mode = (unsigned short)st.st_mode;
    stx->stx_nlink = (unsigned)st.st_nlink;
    stx->stx_ino = st.st_ino;
    stx->stx_size = (unsigned long long)st.st_size;
    stx->stx_rdev_major = major(st.st_rdev);
    stx->stx_rdev_minor = minor(st.st_rdev);
    return 0;
}
