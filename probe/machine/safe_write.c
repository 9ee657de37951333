/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks the two signals that a write can raise, and takes back what it raised. */
#include "machine/safe_write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Both are sent to the thread that writes. One that was pending before stays so. */
bool cua_safe_write(int fd, const void *bytes, size_t size)
{
    const uint64_t signals = 1ULL << (SIGPIPE - 1) | 1ULL << (SIGXFSZ - 1);
    uint64_t before = 0, pending = 0, after = 0;
    struct timespec now = {0};

    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &signals, &before, sizeof before);
    syscall(SYS_rt_sigpending, &pending, sizeof pending);
    ssize_t n = write(fd, bytes, size);
    int error = errno;
    syscall(SYS_rt_sigpending, &after, sizeof after);
    after &= ~pending & signals;
    if (n < 0 && (error == EPIPE || error == EFBIG) && after)
        syscall(SYS_rt_sigtimedwait, &after, NULL, &now, sizeof after);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
    errno = error;
    return n == (ssize_t)size;
}

int cua_safe_write_entry(int folder, const char *name, const void *bytes, size_t size)
{
    char temporary[NAME_MAX + 1];
    int error = 0;

    if (snprintf(temporary, sizeof temporary, "%s.%ld", name, (long)syscall(SYS_gettid)) >=
        (int)sizeof temporary)
        return -ENAMETOOLONG;
    int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    errno = ENOSPC;
    if (!cua_safe_write(fd, bytes, size))
        error = -errno;
    if (close(fd) != 0 && !error)
        error = -errno;
    if (!error && renameat(folder, temporary, folder, name) != 0)
        error = -errno;
    if (error)
        unlinkat(folder, temporary, 0);
    return error;
}
