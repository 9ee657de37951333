/* SPDX-License-Identifier: Apache-2.0 */
/* The keeper (child.h) shares this process's memory and the calling thread's TLS, and so does its
 * child until that executes the helper. Other threads run meanwhile, and may hold any lock. So both
 * processes use only syscall(2), the clock and functions for text. They do not use libc's wrappers,
 * which are cancellation points: a cancelled thread must not unwind in the keeper. */
#include "trial/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "trial/rawclone.h"

#ifndef SYS_close_range
#define SYS_close_range 436 /* the same number on every architecture; Linux 5.9 */
#endif

#define CUA_STACK         (64 * 1024)
#define CUA_GUARD         (64 * 1024) /* a multiple of every page size in use */
#define CUA_HEAD          (64 * 1024)
#define CUA_SLICE_MS      50
#define CUA_REAP_MS       1000
#define CUA_KERNEL_SIGSET 8
/* By default no process may have more descriptors (fs.nr_open). */
#define CUA_DESCRIPTORS (1 << 20)

/* Lies at the start of a mapping, followed by the stacks. The mapping is shared (MAP_SHARED), so
 * that the result arrives even where CLONE_VM is ignored (valgrind, emulators). */
struct keeper {
    struct cua_child child;
    bool finished;
    char *helper_stack;       /* upper end of the helper's stack */
    int null, report, writer; /* descriptors in the keeper's table */
    pid_t helper;
    char caller[40]; /* /proc/TID/status of the calling thread */
};

long long cua_child_now(void)
{
    struct timespec now = {0};

    /* Not by syscall(2): a seccomp filter may refuse clock_gettime, and then no time limit would
     * work. libc uses the vDSO, which makes no system call. */
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int wait_for(int fd, int milliseconds)
{
    struct pollfd poll = {.fd = fd, .events = POLLIN};
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};

    return (int)syscall(SYS_ppoll, &poll, fd < 0 ? 0 : 1, &time, NULL, CUA_KERNEL_SIGSET);
}

__attribute__((noreturn)) static void leave(int code)
{
    for (;;) { /* two calls, because a seccomp filter may refuse one of them */
        syscall(SYS_exit_group, code);
        syscall(SYS_exit, code);
    }
}

static void close_from(int first)
{
    struct rlimit limit = {0, 0};

    if (syscall(SYS_close_range, first, ~0U, 0) == 0)
        return;
    /* Linux before 5.9 lacks close_range. */
    syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
    for (int fd = first; fd < CUA_DESCRIPTORS && (rlim_t)fd < limit.rlim_cur; fd++)
        syscall(SYS_close, fd);
}

/* Opens /dev/null; if there is none, returns a descriptor that cannot be written to. */
static int open_nowhere(void)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0);

    return fd >= 0 ? fd : (int)syscall(SYS_openat, AT_FDCWD, "/", O_PATH | O_CLOEXEC, 0);
}

/* Runs in the keeper's child, and executes the helper. All signals stay blocked until the helper
 * unblocks them, because handlers of the program must not run here. */
__attribute__((noreturn)) static void execute_helper(void *data)
{
    struct keeper *keeper = data;
    struct cua_child *child = &keeper->child;

    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    /* A new session: the helper has no terminal, and its process group can be killed as a whole. */
    syscall(SYS_setsid);
    for (int fd = 0; fd < 3; fd++)
        syscall(SYS_dup3, keeper->null, fd, 0);
    /* dup3 fails if both numbers are equal. They are not: `writer` is higher than CUA_CHILD_FD
     * (open_all). */
    if (syscall(SYS_dup3, keeper->writer, CUA_CHILD_FD, 0) == CUA_CHILD_FD)
        syscall(SYS_execve, child->argv[0], child->argv, child->env);
    child->error = errno;
    leave(127);
}

/* Reads a small file of /proc, and adds a NUL; "" if it cannot be read. */
static void read_proc(const char *path, char *text, size_t size)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    long n = fd < 0 ? 0 : syscall(SYS_read, fd, text, size - 1);

    if (fd >= 0)
        syscall(SYS_close, fd);
    text[n > 0 ? n : 0] = '\0';
}

/* Returns the signals that are pending for the thread that called cua_child_run. That thread waits
 * with all signals blocked, so a signal sent to it stays pending, and /proc/TID/status shows it. */
static unsigned long long pending_in_caller(const struct keeper *keeper)
{
    static const char key[] = "Pnd:\t";
    unsigned long long pending = 0;
    char text[8192];

    read_proc(keeper->caller, text, sizeof(text));
    for (const char *p = text; (p = strstr(p, key)); p++)
        pending |= strtoull(p + sizeof(key) - 1, NULL, 16);
    return pending;
}

/* Whether a signal is pending that would end the program, or asks it to end. A blocked signal is
 * pending even if the program ignores it, so its action is checked. */
static bool interrupted(const struct keeper *keeper)
{
#define CUA_BIT(signal) (1ULL << ((signal)-1))
    const unsigned long long asks =
        CUA_BIT(SIGINT) | CUA_BIT(SIGTERM) | CUA_BIT(SIGHUP) | CUA_BIT(SIGQUIT);
    const unsigned long long ends =
        asks | CUA_BIT(SIGALRM) | CUA_BIT(SIGUSR1) | CUA_BIT(SIGUSR2) | CUA_BIT(SIGPIPE);
    unsigned long long pending = 0, action[4] = {0};

    syscall(SYS_rt_sigpending, &pending, CUA_KERNEL_SIGSET);
    pending |= pending_in_caller(keeper);
    for (int i = 1; i < 32; i++) {
        if (!(pending & ends & CUA_BIT(i)))
            continue;
        syscall(SYS_rt_sigaction, i, NULL, action, CUA_KERNEL_SIGSET);
        if (action[0] == (unsigned long)SIG_DFL ||
            (action[0] != (unsigned long)SIG_IGN && asks & CUA_BIT(i)))
            return true;
    }
    return false;
}

/* Reaps all children that have ended. True: no children are left. */
static bool reap(struct keeper *keeper)
{
    for (;;) {
        int status = 0;
        long pid = syscall(SYS_wait4, -1, &status, WNOHANG | __WALL, NULL);
        if (pid == keeper->helper)
            keeper->child.status = status;
        if (pid == 0)
            return false;
        if (pid < 0)
            return errno == ECHILD;
    }
}

/* Reads what is in the pipe. True if nothing more is to be read: the report is complete, its buffer
 * is full, or the pipe was closed. */
static bool read_report(struct keeper *keeper)
{
    struct cua_child *child = &keeper->child;
    long n = syscall(SYS_read, keeper->report, child->report + child->length,
                     sizeof(child->report) - 1 - child->length);

    if (n > 0)
        child->length += (size_t)n;
    return n == 0 || (n > 0 && cua_ends(child->report, CUA_CHILD_END));
}

/* Whether the helper has ended. Leaves it unreaped, so that its pid stays reserved for `sweep`. */
static bool has_ended(const struct keeper *keeper)
{
    siginfo_t info = {.si_pid = 0};

    return syscall(SYS_waitid, P_PID, keeper->helper, &info, WEXITED | WNOHANG | WNOWAIT, NULL) ==
               0 &&
           info.si_pid == keeper->helper;
}

static void listen(struct keeper *keeper)
{
    struct cua_child *child = &keeper->child;

    while (!child->ended && !child->interrupted) {
        long long left = child->deadline - cua_child_now();
        if (left <= 0)
            return;
        bool gone = has_ended(keeper);
        int ready = wait_for(keeper->report, left < CUA_SLICE_MS ? (int)left : CUA_SLICE_MS);
        if (ready > 0)
            child->ended = read_report(keeper);
        else if (gone) /* the helper is gone, and a process that it started holds the pipe open */
            child->ended = true;
        else
            child->interrupted = interrupted(keeper);
    }
}

/* Kills processes that the helper started and that have left its process group. The keeper is their
 * parent by now, so /proc lists them as its children. Kills none if /proc belongs to another pid
 * namespace, where the numbers mean other processes. */
static void kill_strays(void)
{
    char list[1024], *end = list;
    long pid;

    read_proc("/proc/self/stat", list, sizeof(list));
    if (strtol(list, NULL, 10) != syscall(SYS_getpid))
        return;
    read_proc("/proc/thread-self/children", list, sizeof(list));
    /* A number at the end of the buffer may be cut off, and is not used. */
    while ((pid = strtol(end, &end, 10)) > 0 && *end == ' ')
        syscall(SYS_kill, pid, SIGKILL);
}

/* Kills and reaps the helper and all processes that it started. If the parent of such a process
 * ends, the keeper becomes its parent (PR_SET_CHILD_SUBREAPER). Without that, its parent would be
 * pid 1, which may be the program itself. */
static void sweep(struct keeper *keeper)
{
    long long deadline = cua_child_now() + CUA_REAP_MS;

    /* The helper is not reaped yet, so its pid cannot belong to another process. */
    syscall(SYS_kill, -keeper->helper, SIGKILL);
    syscall(SYS_kill, keeper->helper, SIGKILL);
    while (!reap(keeper) && cua_child_now() < deadline) {
        kill_strays();
        wait_for(-1, 2);
    }
    keeper->child.left_behind = keeper->child.status == -1;
}

static bool open_all(struct keeper *keeper)
{
    int pipe[2];

    close_from(0);
    /* Occupies descriptors 0 to 3 first, so that the writer gets a number above CUA_CHILD_FD. */
    for (int fd = 0; fd <= CUA_CHILD_FD; fd++)
        if ((keeper->null = open_nowhere()) < 0)
            return false;
    if (syscall(SYS_pipe2, pipe, O_CLOEXEC) != 0)
        return false;
    keeper->report = pipe[0];
    keeper->writer = pipe[1];
    return true;
}

__attribute__((noreturn)) static void keep(void *data)
{
    struct keeper *keeper = data;
    struct cua_child *child = &keeper->child;
    /* A struct sigaction in the kernel's form: handler, flags, restorer, mask. All zeros mean
     * SIG_DFL on every architecture. The keeper needs SIG_DFL: if the program ignores SIGCHLD, the
     * kernel reaps children by itself, and wait4 reports none. */
    unsigned long long dfl[4] = {0};

    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    syscall(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    syscall(SYS_rt_sigaction, SIGCHLD, dfl, NULL, CUA_KERNEL_SIGSET);
    if (!open_all(keeper)) {
        child->error = errno;
        leave(1);
    }
    long pid = cua_rawclone(CLONE_VM | CLONE_VFORK | SIGCHLD, keeper->helper_stack, execute_helper,
                            keeper);
    if (pid < 0) {
        child->error = (int)-pid;
        leave(1);
    }
    keeper->helper = (pid_t)pid;
    syscall(SYS_close, keeper->writer);
    if (!child->error)
        listen(keeper);
    sweep(keeper);
    keeper->finished = true;
    leave(0);
}

#define CUA_MAPPING (CUA_HEAD + 2 * (CUA_GUARD + CUA_STACK))

struct cua_child *cua_child_new(void)
{
    char *at = mmap(NULL, CUA_MAPPING, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED)
        return NULL;
    struct keeper *keeper = (struct keeper *)(void *)at;
    mprotect(at + CUA_HEAD, CUA_GUARD, PROT_NONE);
    keeper->helper_stack = at + CUA_HEAD + CUA_GUARD + CUA_STACK;
    mprotect(keeper->helper_stack, CUA_GUARD, PROT_NONE);
    keeper->child.status = -1;
    return &keeper->child;
}

void cua_child_free(struct cua_child *child)
{
    if (child)
        munmap(child, CUA_MAPPING);
}

int cua_child_run(struct cua_child *child)
{
    struct keeper *keeper = (struct keeper *)(void *)child;
    unsigned long long all = ~0ULL, before = 0;
    int saved = errno;

    snprintf(keeper->caller, sizeof(keeper->caller), "/proc/%ld/status", syscall(SYS_gettid));
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, CUA_KERNEL_SIGSET);
    long pid = cua_rawclone(CLONE_VM | CLONE_VFORK, (char *)keeper + CUA_MAPPING, keep, keeper);
    while (pid > 0 && syscall(SYS_wait4, pid, NULL, __WCLONE, NULL) < 0 && errno == EINTR)
        ;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, CUA_KERNEL_SIGSET);
    if (pid < 0)
        child->error = (int)-pid;
    else if (!keeper->finished && !child->error)
        child->error = EIO; /* the keeper was killed before it finished */
    errno = saved;
    return -child->error;
}
