/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May a line be written to this standard error? One answer for shim and engine.
 *
 * A program that closed its standard error may have something of its own there by now, a database
 * or a client, and a line in it is damage. A descriptor that exec closes did not come by exec; a
 * shell's redirection cannot be read from; a UNIX socket is what services have; and nobody passes
 * an eventfd or the like for messages.
 */
#ifndef CUARBITER_STDERR_H
#define CUARBITER_STDERR_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* `call` makes a system call and is negative on failure: the shim must not call libc. False for
 * /dev/null, which nobody reads. */
static inline bool cua_stderr_takes_lines(int fd, long (*call)(long number, long, long, long))
{
    sa_family_t family = AF_UNSPEC; /* the kernel cuts an address to the size that it gets */
    socklen_t size = sizeof(family);
    long flags = call(SYS_fcntl, fd, F_GETFD, 0);
    struct stat st; /* the kernel's own on 64-bit machines */

    if (flags < 0 || flags & FD_CLOEXEC || call(SYS_fstat, fd, (intptr_t)&st, 0) < 0)
        return false;
    switch (st.st_mode & S_IFMT) {
    case S_IFCHR:
        return st.st_rdev != (1 << 8 | 3);
    case S_IFIFO:
        return true;
    case S_IFREG:
        return (call(SYS_fcntl, fd, F_GETFL, 0) & O_ACCMODE) == O_WRONLY;
    case S_IFSOCK:
        return call(SYS_getsockname, fd, (intptr_t)&family, (intptr_t)&size) == 0 &&
               family == AF_UNIX;
    default:
        return false;
    }
}

#endif
