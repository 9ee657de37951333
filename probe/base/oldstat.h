/* SPDX-License-Identifier: Apache-2.0 */
/* stat, lstat and fstat with no symbol version: glibc 2.33 versioned its own anew, and what is
 * built there would not load in an older one. As libc's: 0, or -1 with errno set.
 *
 * Nothing that a library has put in front of libc is asked; where the existence of a device node
 * is the question, ask access(). */
#ifndef CUA_OLDSTAT_H
#define CUA_OLDSTAT_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* On these two the kernel's struct stat and glibc's are the same; on others they are not. */
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
