/* SPDX-License-Identifier: Apache-2.0 */
/* stat, lstat and fstat without a symbol version. glibc 2.33 gave its own functions a new version,
 * so a program built with it would not load with an older glibc. These behave like libc's: 0, or -1
 * with errno set.
 *
 * They bypass libraries that are preloaded before libc. So to ask whether a device node exists, use
 * access(), which such libraries may answer. */
#ifndef CUA_OLDSTAT_H
#define CUA_OLDSTAT_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* On these two architectures glibc's struct stat is the kernel's. On others it is not. */
#if defined(__x86_64__)
_Static_assert(sizeof(struct stat) == 144, "the kernel's struct stat on x86_64");
#elif defined(__aarch64__)
_Static_assert(sizeof(struct stat) == 128, "the kernel's struct stat on aarch64");
#else
#error "struct stat of the kernel is not known for this architecture"
#endif

static inline int cua_stat(const char *path, struct stat *st)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, 0);
}

static inline int cua_lstat(const char *path, struct stat *st)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

static inline int cua_fstat(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st);
}

#endif
