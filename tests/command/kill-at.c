/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kill-at N COMMAND...: runs the command and kills it, with all that it started, before the Nth
 * system call that changes a file system. Exit status: 0 it was killed, 1 it came to its end
 * before.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static long call_of(pid_t pid)
{
#if defined(__x86_64__)
    struct user_regs_struct regs;

    return ptrace(PTRACE_GETREGS, pid, 0, &regs) ? -1 : (long)regs.orig_rax;
#else
    (void)pid;
    return -1;
#endif
}

static int changes(long call)
{
    switch (call) {
#if defined(__x86_64__)
    case SYS_mkdir:
    case SYS_rmdir:
    case SYS_rename:
    case SYS_unlink:
    case SYS_symlink:
    case SYS_chmod:
#endif
    case SYS_mkdirat:
    case SYS_renameat2:
    case SYS_unlinkat:
    case SYS_symlinkat:
    case SYS_write:
    case SYS_fchmod:
    case SYS_fsync:
        return 1;
    default:
        return 0;
    }
}

int main(int argc, char **argv)
{
    long left = argc > 2 ? atol(argv[1]) : 0;
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        execv(argv[2], argv + 2);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid ||
        ptrace(PTRACE_SETOPTIONS, pid, 0,
               PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK |
                   PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE))
        return 2;
    ptrace(PTRACE_SYSCALL, pid, 0, 0);
    while ((pid = waitpid(-1, &status, __WALL)) > 0) {
        int signal = 0;
        if (!WIFSTOPPED(status))
            continue;
        /* At both ends of a call: half as many. */
        if (WSTOPSIG(status) == (SIGTRAP | 0x80) && changes(call_of(pid)) && --left == 0)
            return 0;
        if (WSTOPSIG(status) != (SIGTRAP | 0x80) && WSTOPSIG(status) != SIGTRAP &&
            WSTOPSIG(status) != SIGSTOP)
            signal = WSTOPSIG(status);
        ptrace(PTRACE_SYSCALL, pid, 0, signal);
    }
    return 1;
}
