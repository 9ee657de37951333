/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a log line may be written to standard error, and how. These rules are shared by the shim
 * (the library that is preloaded into a program) and the answerer (the program that the shim
 * executes).
 *
 * If a program has closed its standard error, descriptor 2 may be something else by now, such as a
 * database or a connection, and a log line would damage it. So a line is written only to a
 * descriptor that the program was probably started with. exec must not close it, and it must be one
 * of these:
 * - a character device other than /dev/null, which nobody reads;
 * - a pipe;
 * - a regular file that can only be written (as a shell's redirection is);
 * - a UNIX socket (as services have).
 */
#ifndef CUARBITER_STDERR_H
#define CUARBITER_STDERR_H

#include <fcntl.h>
#include <linux/limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

/* A function that makes a system call and returns the kernel's result, which is negative on
 * failure. The functions below get one as a parameter, because the shim must not call libc. */
typedef long cua_call(long number, long, long, long, long);

/* Whether a log line may be written to `fd`, by the rules above. */
static inline bool cua_stderr_takes_lines(int fd, cua_call *call)
{
    sa_family_t family = AF_UNSPEC; /* getsockname cuts the address to the size of this variable */
    socklen_t size = sizeof(family);
    long flags = call(SYS_fcntl, fd, F_GETFD, 0, 0);
    struct stat st; /* on 64-bit machines the kernel's is the same */

    if (flags < 0 || flags & FD_CLOEXEC || call(SYS_fstat, fd, (intptr_t)&st, 0, 0) < 0)
        return false;
    switch (st.st_mode & S_IFMT) {
    case S_IFCHR:
        return st.st_rdev != (1 << 8 | 3);
    case S_IFIFO:
        return true;
    case S_IFREG:
        return (call(SYS_fcntl, fd, F_GETFL, 0, 0) & O_ACCMODE) == O_WRONLY;
    case S_IFSOCK:
        return call(SYS_getsockname, fd, (intptr_t)&family, (intptr_t)&size, 0) == 0 &&
               family == AF_UNIX;
    default:
        return false;
    }
}

/* Writes without raising a signal. A failed write sends SIGPIPE or SIGXFSZ to the calling thread.
 * So this blocks both signals, and removes the one that its write has caused. A signal that was
 * pending before stays pending. Returns whether all bytes were written. */
static inline bool cua_safe_write(int fd, const void *bytes, size_t size, cua_call *call)
{
    const uint64_t signals = 1ULL << (SIGPIPE - 1) | 1ULL << (SIGXFSZ - 1);
    uint64_t before = 0, pending = 0, after = 0;
    struct timespec now = {0, 0};
    long written;

    call(SYS_rt_sigprocmask, SIG_BLOCK, (intptr_t)&signals, (intptr_t)&before, 8);
    call(SYS_rt_sigpending, (intptr_t)&pending, 8, 0, 0);
    written = call(SYS_write, fd, (intptr_t)bytes, (intptr_t)size, 0);
    call(SYS_rt_sigpending, (intptr_t)&after, 8, 0, 0);
    after &= ~pending & signals;
    if (written < 0 && after)
        call(SYS_rt_sigtimedwait, (intptr_t)&after, 0, (intptr_t)&now, 8);
    call(SYS_rt_sigprocmask, SIG_SETMASK, (intptr_t)&before, 0, 8);
    return written == (long)size;
}

/* Writes without waiting: stops at a full pipe or a stopped terminal. A pipe that ppoll reports as
 * ready takes PIPE_BUF bytes at once, but a longer write might have to wait. So each write has at
 * most PIPE_BUF bytes. Returns whether all bytes were written. */
static inline bool cua_write_at_once(int fd, const char *line, size_t size, cua_call *call)
{
    struct pollfd room = {fd, POLLOUT, 0};
    struct timespec now = {0, 0};
    size_t part;

    for (; size; line += part, size -= part) {
        part = size < PIPE_BUF ? size : PIPE_BUF;
        if (call(SYS_ppoll, (intptr_t)&room, 1, (intptr_t)&now, 0) != 1 ||
            room.revents != POLLOUT || !cua_safe_write(fd, line, part, call))
            return false;
    }
    return true;
}

#endif
