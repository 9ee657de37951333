/* SPDX-License-Identifier: Apache-2.0 */
/* stat, lstat and fstat as bare system calls. glibc 2.33 gave its own functions a new symbol
 * version, so a program that was linked with them would not load with an older glibc. The functions
 * here behave like libc's: they return 0, or -1 with errno set.
 *
 * Libraries that are preloaded (LD_PRELOAD) cannot intercept these functions. Where such a library
 * may simulate a device node, use access() to ask whether the node exists. */
#ifndef CUA_OLDSTAT_H
#define CUA_OLDSTAT_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* On these two architectures glibc's struct stat is the kernel's. On others it may not be. */
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
