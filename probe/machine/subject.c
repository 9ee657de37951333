/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/subject.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/stat.h> /* musl lacks struct statx */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/listing.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "machine/walk.h"

const struct cua_subject cua_here = {.sysroot = ""};

const char *cua_subject_env(const struct cua_subject *subject, const char *name)
{
    return cua_env_value(subject->env ? subject->env : environ, name);
}

/* Opens a path with O_PATH, for a subject that is not plain (cua_subject_is_plain). `last`: follow
 * a link at the end. Returns a descriptor or -errno. Not inlined, so that calls for a plain subject
 * do not need the stack for `real`. */
static __attribute__((noinline)) int place(const struct cua_subject *subject, const char *path,
                                           bool last)
{
    char real[PATH_MAX];

    return cua_walk(subject->sysroot, path, last, real);
}

/* Calls fstat on `fd` and closes it. 0 or -errno; if `fd` is itself a -errno, returns that. */
static int tell(int fd, struct stat *st)
{
    int error = fd < 0 ? fd : cua_fstat(fd, st) != 0 ? -errno : 0;

    if (fd >= 0)
        close(fd);
    return error;
}

/* STATX_ATTR_MOUNT_ROOT, which marks a mount point, from Linux 5.8 on. The headers of some build
 * machines are older, and lack it. */
#define ATTRIBUTE_MOUNT_ROOT 0x2000u

int cua_mount_at(int fd, const char *path, struct stat *st)
{
    const int flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;
    struct statx x;

    st->st_mode = 0;
    if (syscall(SYS_statx, fd, path, flags, STATX_BASIC_STATS, &x) != 0)
        return -1;
    *st = (struct stat){
        .st_dev = (dev_t)(x.stx_dev_minor & ~0xffu) << 12 | x.stx_dev_major << 8 |
                  (x.stx_dev_minor & 0xff),
        .st_ino = x.stx_ino,
        .st_mode = x.stx_mode,
        .st_uid = x.stx_uid,
        .st_size = (off_t)x.stx_size,
    };
    return x.stx_attributes_mask & ATTRIBUTE_MOUNT_ROOT
               ? !!(x.stx_attributes & ATTRIBUTE_MOUNT_ROOT)
               : -1;
}

/* Opens the file, or takes opened->fd if that is set, and reads its path without links from
 * /proc/self/fd. This takes one look-up; realpath would look up each part of the path. `judges`:
 * libcuda is being chosen, so fill in opened->mount too. Returns 0 on success, -errno if the file
 * does not exist, 1 if the kernel does not show the path. */
static int ask_kernel(const char *path, char *out, struct stat *st, struct cua_opened *opened,
                      int flags, bool judges)
{
    int fd = opened->fd;
    char link[32];
    ssize_t n;

    if (fd < 0)
        fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC);
    opened->fd = opened->mount = -1;
    out[0] = 0;
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return -errno;
    /* A file that may not be read can still be opened with O_PATH. */
    if (fd < 0)
        return flags == O_PATH ? 1 : ask_kernel(path, out, st, opened, O_PATH, judges);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    /* statx(2) is called only when libcuda is chosen: ld.so does not call it, so a sandbox may
     * forbid it. */
    if (judges)
        opened->mount = cua_mount_at(fd, "", st);
    else if (cua_fstat(fd, st) != 0)
        st->st_mode = 0;
    n = st->st_mode ? syscall(SYS_readlinkat, AT_FDCWD, link, out, PATH_MAX) : -1;
    out[n > 0 && n < PATH_MAX ? n : 0] = 0;
    opened->kernels = out[0] == '/' && !cua_ends(out, " (deleted)");
    if (opened->kernels && flags != O_PATH)
        opened->fd = fd;
    else
        close(fd);
    return !opened->kernels;
}

int cua_subject_find(const struct cua_subject *subject, const char *path, char *out,
                     struct stat *st, struct cua_opened *opened)
{
    struct cua_opened none = {.fd = -1};
    const bool judges = opened;

    opened = opened ? opened : &none;
    opened->kernels = false;
    if (!cua_subject_is_plain(subject))
        return tell(cua_walk(subject->sysroot, path, true, out), st);
    int error = ask_kernel(path, out, st, opened,
                           judges ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH, judges);
    if (error <= 0)
        return error;
    out[0] = 0;
    if (cua_stat(path, st) != 0)
        return -errno;
    /* If realpath fails, because a sandbox refuses to read links or the file was deleted, return
     * the path unchanged. */
    return realpath(path, out) || cua_copy(out, PATH_MAX, path) ? 0 : -ENAMETOOLONG;
}

int cua_subject_resolve(const struct cua_subject *subject, const char *path, char *out)
{
    struct stat st;

    return cua_subject_find(subject, path, out, &st, NULL);
}

const char *cua_subject_inside(const struct cua_subject *subject, const char *real)
{
    const char *sysroot = subject->sysroot ? subject->sysroot : "";

    if (!cua_below(real, sysroot))
        return real;
    real += strlen(sysroot);
    return real[0] ? real : "/";
}

static int open_plain(const char *path, int flags)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);

    return fd < 0 ? -errno : fd;
}

/* Opens the file of an O_PATH descriptor for reading, and closes that descriptor. The caller must
 * have checked that it is a regular file, or pass O_DIRECTORY, because opening a device or a pipe
 * has side effects. */
static int open_again(int there, int flags)
{
    char name[32];

    snprintf(name, sizeof name, "/proc/self/fd/%d", there);
    int fd = open_plain(name, flags);
    close(there);
    return fd;
}

static int take_regular(int fd, struct stat *st)
{
    if (cua_fstat(fd, st) == 0 && S_ISREG(st->st_mode))
        return fd;
    close(fd);
    return -EINVAL;
}

int cua_subject_open_stat(const struct cua_subject *subject, const char *path, struct stat *st)
{
    int fd;

    if (!cua_subject_is_plain(subject)) {
        fd = place(subject, path, true);
        fd = fd < 0 ? fd : take_regular(fd, st);
        return fd < 0 ? fd : open_again(fd, 0);
    }
    fd = open_plain(path, 0);
    return fd < 0 ? fd : take_regular(fd, st);
}

int cua_subject_open(const struct cua_subject *subject, const char *path)
{
    struct stat st;

    return cua_subject_open_stat(subject, path, &st);
}

ssize_t cua_subject_read(const struct cua_subject *subject, const char *path, char *buf,
                         size_t size)
{
    bool kernels =
        cua_subject_is_plain(subject) && (cua_starts(path, "/proc/") || cua_starts(path, "/sys/"));
    int fd = kernels ? open_plain(path, 0) : cua_subject_open(subject, path);
    size_t used = 0;
    ssize_t n = 1;

    buf[0] = 0;
    if (fd < 0)
        return fd;
    /* A short text in /proc or /sys ends with a newline. If a read ends with one, the text is
     * complete, and the read that would return 0 is not needed. */
    while (used < size - 1 && n && !(kernels && used && buf[used - 1] == '\n')) {
        n = read(fd, buf + used, size - 1 - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        used += (size_t)n;
    }
    if (n < 0)
        n = -errno;
    close(fd);
    buf[used] = 0;
    for (char *nul = buf; (nul = memchr(nul, 0, used - (size_t)(nul - buf)));)
        *nul = '\n';
    return n < 0 && used == 0 ? n : (ssize_t)used;
}

static int look(const struct cua_subject *subject, const char *path, bool last, struct stat *st)
{
    if (cua_subject_is_plain(subject))
        return (last ? cua_stat(path, st) : cua_lstat(path, st)) ? -errno : 0;
    return tell(place(subject, path, last), st);
}

int cua_subject_stat(const struct cua_subject *subject, const char *path, struct stat *st)
{
    return look(subject, path, true, st);
}

#ifndef SYS_openat2
#define SYS_openat2 437 /* the same number on every architecture that is supported */
#endif

bool cua_subject_is_near(const struct cua_subject *subject, const char *path)
{
    bool apart = subject->sysroot && subject->sysroot[0];
    /* A copy of struct open_how, because some build machines have no linux/openat2.h. */
    const struct {
        uint64_t flags, mode, resolve;
    } how = {O_PATH | O_CLOEXEC, 0, 0x01 /* NO_XDEV */ | (apart ? 0x10 /* IN_ROOT */ : 0)};
    int root = apart ? open(subject->sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC) : AT_FDCWD;
    int fd = root == -1 ? -1 : (int)syscall(SYS_openat2, root, path, &how, sizeof how);
    bool near = fd >= 0 || errno == ENOSYS || errno == EPERM;

    if (fd >= 0)
        close(fd);
    if (root >= 0)
        close(root);
    return near;
}

/* Whether this process may open a file for reading and writing. Uses access() where it can, because
 * some sandboxes refuse faccessat2. But access() checks the real ids, so it serves only if the
 * effective ones are equal. */
static bool may_open(const char *path)
{
    bool same =
        syscall(SYS_getuid) == syscall(SYS_geteuid) && syscall(SYS_getgid) == syscall(SYS_getegid);

    return (same ? access(path, R_OK | W_OK)
                 : faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS)) == 0;
}

bool cua_subject_may_open(const struct cua_subject *subject, const char *path)
{
    char name[32];

    if (cua_subject_is_plain(subject))
        return may_open(path);
    int there = place(subject, path, true);
    snprintf(name, sizeof name, "/proc/self/fd/%d", there);
    bool may = there >= 0 && (!cua_subject_is_own(subject) || may_open(name));
    if (there >= 0)
        close(there);
    return may;
}

ssize_t cua_subject_readlink(const struct cua_subject *subject, const char *path, char *text,
                             size_t size)
{
    bool plain = cua_subject_is_plain(subject);
    int fd = plain ? AT_FDCWD : place(subject, path, false);

    if (fd < 0 && !plain)
        return fd;
    ssize_t n = readlinkat(fd, plain ? path : "", text, size);
    /* For an empty path, readlinkat returns ENOENT if the descriptor is not that of a link;
     * readlink(2) would return EINVAL. */
    if (n < 0)
        n = errno == ENOENT && !plain ? -EINVAL : -errno;
    if (!plain)
        close(fd);
    return n;
}

int cua_subject_list(const struct cua_subject *subject, const char *folder,
                     int (*fn)(void *data, const char *name, unsigned char type), void *data)
{
    int fd;

    if (cua_subject_is_plain(subject))
        return cua_list(open_plain(folder, O_DIRECTORY), fn, data);
    fd = place(subject, folder, true);
    return cua_list(fd < 0 ? fd : open_again(fd, O_DIRECTORY), fn, data);
}

/* Returns the subject to open `*real` with. `*real` is a path of this process, so it includes the
 * sysroot. For this process, returns cua_here and leaves `*real` as it is. For another subject,
 * returns that subject and removes the sysroot from `*real`. */
static const struct cua_subject *owner(const struct cua_subject *subject, const char **real)
{
    if (cua_subject_is_own(subject))
        return &cua_here;
    *real = cua_subject_inside(subject, *real);
    return subject;
}

int cua_real_open(const struct cua_subject *subject, const char *real)
{
    subject = owner(subject, &real);
    return subject == &cua_here ? open_plain(real, 0) : cua_subject_open(subject, real);
}

int cua_real_stat(const struct cua_subject *subject, const char *real, struct stat *st)
{
    subject = owner(subject, &real);
    return cua_subject_stat(subject, real, st);
}

int cua_real_lstat(const struct cua_subject *subject, const char *real, struct stat *st)
{
    subject = owner(subject, &real);
    return look(subject, real, false, st);
}
