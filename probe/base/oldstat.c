/* SPDX-License-Identifier: Apache-2.0 */
#include "base/oldstat.h"

#include <fcntl.h>
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

int cua_stat(const char *path, struct stat *st)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, 0);
}

int cua_lstat(const char *path, struct stat *st)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int cua_fstat(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st);
}
