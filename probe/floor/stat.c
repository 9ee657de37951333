/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stat and its kin by system call: glibc 2.33 gave them new symbol versions, and libelf's archive
 * calls fstat. Hidden, so that they stand in for libc's in the engine and the command alone.
 */
/* Without it these would be compiled under their 64-bit names only; both are needed. */
#undef _FILE_OFFSET_BITS
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)

int fstatat(int folder, const char *restrict path, struct stat *restrict st, int flags)
{
    return (int)syscall(SYS_newfstatat, folder, path, st, flags);
}

int fstat(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st);
}

int stat(const char *restrict path, struct stat *restrict st)
{
    return fstatat(AT_FDCWD, path, st, 0);
}

int lstat(const char *restrict path, struct stat *restrict st)
{
    return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

#pragma GCC visibility pop

/* struct stat64 is struct stat on the architectures of floor.h. */
#define ALSO(name, function)                                                                       \
    __asm__(".globl " #name "\n.hidden " #name "\n.set " #name ", " #function)

ALSO(fstatat64, fstatat);
ALSO(fstat64, fstat);
ALSO(stat64, stat);
ALSO(lstat64, lstat);
