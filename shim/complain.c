/* SPDX-License-Identifier: Apache-2.0 */
#include "complain.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>

#include "syscalls.h"
#include "text.h"

#define STDERR 2

/* A program that closed its standard error may have a file of its own there by now. */
static bool is_stderr(void)
{
    long flags = cua_syscall(SYS_fcntl, STDERR, F_GETFD, 0, 0, 0, 0);
    struct stat st;

    if (flags < 0 || flags & FD_CLOEXEC || cua_sys_fstat(STDERR, &st) != 0)
        return false;
    if (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode))
        return true;
    flags = cua_syscall(SYS_fcntl, STDERR, F_GETFL, 0, 0, 0, 0);
    return S_ISREG(st.st_mode) && (flags & O_ACCMODE) == O_WRONLY;
}

/* A pipe without a reader brings SIGPIPE, a file at its limit SIGXFSZ, to this thread. */
static void put(const char *line, size_t length)
{
    const uint64_t signals = 1ull << (SIGPIPE - 1) | 1ull << (SIGXFSZ - 1);
    uint64_t before = 0, pending = 0;
    struct pollfd room = {STDERR, POLLOUT, 0};
    struct timespec now = {0, 0};

    if (cua_syscall(SYS_ppoll, (long)&room, 1, (long)&now, 0, 0, 0) != 1 || room.revents != POLLOUT)
        return;
    cua_syscall(SYS_rt_sigprocmask, SIG_BLOCK, (long)&signals, (long)&before, 8, 0, 0);
    cua_syscall(SYS_rt_sigpending, (long)&pending, 8, 0, 0, 0, 0);
    if (cua_syscall(SYS_write, STDERR, (long)line, (long)length, 0, 0, 0) < 0 &&
        !(pending & signals))
        cua_syscall(SYS_rt_sigtimedwait, (long)&signals, 0, (long)&now, 8, 0, 0);
    cua_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, 8, 0, 0);
}

void cua_complain(const char *code, const char *what, const char *why)
{
    const char *parts[] = {"cuarbiter[", NULL, "]: error: ", code, ": ", what, why, "\n"};
    long pid = cua_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    char number[12] = "", line[512], *to = line, *digit = number + sizeof(number) - 1;
    size_t i;

    do
        *--digit = (char)('0' + pid % 10);
    while (pid /= 10);
    parts[1] = digit;
    for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        size_t length = cua_length(parts[i]), room = (size_t)(line + sizeof(line) - to);
        to = cua_put(to, parts[i], length < room ? length : room);
    }
    if (is_stderr())
        put(line, (size_t)(to - line));
}
