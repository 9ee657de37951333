/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libc functions that the stand-in plays. Names as libc has them, so headers that redirect
 * one of them to another must not do so here.
 */
#undef _FILE_OFFSET_BITS
#include "standin.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CUA_PLAY __attribute__((visibility("default")))

static int absent(void)
{
    errno = ENOENT;
    return -1;
}

static int do_open(int dirfd, const char *path, int flags, mode_t mode)
{
    struct cua_node node;
    int fd;

    cua_look(path, &node);
    if (node.kind == CUA_NOT_OURS)
        return (int)cua_sys_open(dirfd, path, flags, mode);
    fd = node.kind == CUA_ABSENT ? absent() : cua_open_node(path, &node, flags);
    cua_log("open", path, fd);
    return fd;
}

#define CUA_OPEN(name)                                                                             \
    CUA_PLAY int name(const char *path, int flags, ...)                                            \
    {                                                                                              \
        mode_t mode = 0;                                                                           \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        if (flags & (O_CREAT | __O_TMPFILE))                                                       \
            mode = va_arg(list, mode_t);                                                           \
        va_end(list);                                                                              \
        return do_open(AT_FDCWD, path, flags, mode);                                               \
    }

#define CUA_OPENAT(name)                                                                           \
    CUA_PLAY int name(int dirfd, const char *path, int flags, ...)                                 \
    {                                                                                              \
        mode_t mode = 0;                                                                           \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        if (flags & (O_CREAT | __O_TMPFILE))                                                       \
            mode = va_arg(list, mode_t);                                                           \
        va_end(list);                                                                              \
        return do_open(dirfd, path, flags, mode);                                                  \
    }

CUA_OPEN(open)
CUA_OPEN(open64)
CUA_OPENAT(openat)
CUA_OPENAT(openat64)

/* Callers built with _FORTIFY_SOURCE come by these names. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dirfd, const char *path, int flags);
int __openat64_2(int dirfd, const char *path, int flags);

CUA_PLAY int __open_2(const char *path, int flags)
{
    return do_open(AT_FDCWD, path, flags, 0);
}

CUA_PLAY int __open64_2(const char *path, int flags)
{
    return do_open(AT_FDCWD, path, flags, 0);
}

CUA_PLAY int __openat_2(int dirfd, const char *path, int flags)
{
    return do_open(dirfd, path, flags, 0);
}

CUA_PLAY int __openat64_2(int dirfd, const char *path, int flags)
{
    return do_open(dirfd, path, flags, 0);
}

static int mode_flags(const char *mode)
{
    int flags = 0;

    switch (*mode) {
    case 'r':
        flags = O_RDONLY;
        break;
    case 'w':
        flags = O_WRONLY | O_CREAT | O_TRUNC;
        break;
    case 'a':
        flags = O_WRONLY | O_CREAT | O_APPEND;
        break;
    default:
        return -1;
    }
    while (*++mode && *mode != ',') {
        if (*mode == '+')
            flags = (flags & ~O_ACCMODE) | O_RDWR;
        else if (*mode == 'e')
            flags |= O_CLOEXEC;
        else if (*mode == 'x')
            flags |= O_EXCL;
    }
    return flags;
}

static FILE *do_fopen(const char *path, const char *mode)
{
    int fd, flags = mode_flags(mode);
    FILE *file;

    if (flags < 0) {
        errno = EINVAL;
        return NULL;
    }
    fd = do_open(AT_FDCWD, path, flags, 0666);
    if (fd < 0)
        return NULL;
    file = fdopen(fd, mode);
    if (!file)
        syscall(SYS_close, fd);
    return file;
}

CUA_PLAY FILE *fopen(const char *restrict path, const char *restrict mode)
{
    return do_fopen(path, mode);
}

CUA_PLAY FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    return do_fopen(path, mode);
}

CUA_PLAY DIR *opendir(const char *path)
{
    int fd = do_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK, 0);
    DIR *dir;

    if (fd < 0)
        return NULL;
    dir = fdopendir(fd);
    if (!dir)
        syscall(SYS_close, fd);
    return dir;
}

CUA_PLAY int close(int fd)
{
    cua_remember(fd, CUA_NOT_OURS);
    return (int)syscall(SYS_close, fd);
}

CUA_PLAY int ioctl(int fd, unsigned long request, ...)
{
    enum cua_kind kind = cua_remembered(fd);
    va_list list;
    void *arg;

    va_start(list, request);
    arg = va_arg(list, void *);
    va_end(list);
    if (kind == CUA_NOT_OURS || !cua_kmd())
        return (int)syscall(SYS_ioctl, fd, request, arg);
    return cua_rm_ioctl(kind, request, arg);
}

/* 555 answers 803 while a thread of its own still starts; a runtime that unmaps it in that moment
 * (cudart 11.8 does) ends in a crash about once in a hundred runs, with and without a shim. */
CUA_PLAY int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
