/* SPDX-License-Identifier: Apache-2.0 */
/* Each precaution here was added because some environment broke without it. Most have a test in
 * tests/hosting. In a trial the answerer tries a driver in a child process. */
#include "keeper.h"

#include <errno.h>
#include <linux/securebits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "cuarbiter/stderr.h"

#include "status.h"
#include "syscalls.h"
#include "text.h"

#ifndef SYS_close_range
#define SYS_close_range 436 /* the same number on every architecture; Linux 5.9 */
#endif

#define SIGNALS     8           /* bytes of the kernel's signal set */
#define GUARD       (64 * 1024) /* bytes of a guard area; a multiple of every page size in use */
#define STACK       (32 * 1024)
#define HEAD        (128 * 1024) /* holds struct cua_errand; a multiple of every page size in use */
#define MAPPING     (HEAD + 2 * (GUARD + STACK))
#define SLICE       20 /* ms between two checks for signals and timeouts */
#define DESCRIPTORS (1 << 20)
#define TRIAL_MORE  2000 /* ms that a trial may take beyond its own limit (CUA_ANSWERS_TRIAL) */
#define STRAYS      200  /* ms to wait for processes that the answerer left behind */

_Static_assert(sizeof(struct cua_errand) <= HEAD, "an errand fits before its first guard");

static long call(long number, long a, long b, long c, long d)
{
    return cua_syscall(number, a, b, c, d, 0, 0);
}

/* Reads one of the kernel's clocks, in milliseconds. */
static long read_clock(long clock)
{
    struct timespec time = {0, 0};

    call(SYS_clock_gettime, clock, (long)&time, 0, 0);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static uint64_t used_by(long pid)
{
    struct timespec time = {0, 0};

    /* The number of the clock that counts the CPU time of process `pid`; 2 is the kernel's
     * CPUCLOCK_SCHED. */
    call(SYS_clock_gettime, (long)(int)(~(unsigned)pid << 3 | 2), (long)&time, 0, 0);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Ends the keeper or its child. The status is 0, because firejail exits with the status of
 * whichever child ends. A seccomp filter may refuse the exit if its tracer does not watch these
 * processes (strace --seccomp-bpf). Then this sets a limit of one second of CPU time, and loops
 * until the limit ends the process. If the limit cannot be set, this traps. */
static void leave(void)
{
    static const struct rlimit second = {1, 1};

    for (;;) {
        call(SYS_exit_group, 0, 0, 0, 0);
        call(SYS_exit, 0, 0, 0, 0);
        if (call(SYS_prlimit64, 0, RLIMIT_CPU, (long)&second, 0) < 0)
            __builtin_trap();
    }
}

/* Whether the answerer's file belongs to a stranger: neither to root nor to this user nor to the
 * owner of the shim (`beside`). In a folder such as /tmp anybody can add a file beside the shim,
 * but only the shim's owner can replace the shim. This process runs the shim's code already, so
 * that owner is trusted. */
static bool is_strangers(const struct cua_errand *errand)
{
    struct stat program, file;

    if (cua_sys_stat(errand->program, &program) || !program.st_uid ||
        program.st_uid == (uid_t)call(SYS_geteuid, 0, 0, 0, 0))
        return false;
    return !errand->beside || cua_sys_stat(errand->beside, &file) || file.st_uid != program.st_uid;
}

/* Runs in the keeper's child and executes the answerer. The program's signal handlers must not run
 * in this child, so signals stay blocked until all handlers are removed. */
static void execute(void *data)
{
    static const unsigned long long none[4]; /* handler, flags, restorer, mask */
    struct cua_errand *errand = data;
    const char *argv[] = {errand->program, NULL}, *env[] = {NULL};
    int i;

    call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
    if (errand->bind)
        call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0);
    for (i = 1; i <= 64; i++)
        if (i != SIGKILL && i != SIGSTOP)
            call(SYS_rt_sigaction, i, (long)none, 0, SIGNALS);
    for (i = 0; i < 3; i++)
        call(SYS_dup3, errand->null, i, 0, 0);
    /* dup3 fails if its two numbers are equal. Here they differ: open_all gave the ends of the
     * pipes numbers above CUA_FD_ANSWER. */
    if (is_strangers(errand)) {
        errand->error = -EACCES;
    } else if (call(SYS_dup3, errand->heard, CUA_FD_QUESTION, 0, 0) == CUA_FD_QUESTION &&
               call(SYS_dup3, errand->spoken, CUA_FD_ANSWER, 0, 0) == CUA_FD_ANSWER) {
        call(SYS_rt_sigprocmask, SIG_SETMASK, (long)none, 0, SIGNALS);
        errand->error = call(SYS_execve, (long)errand->program, (long)argv, (long)env, 0);
    } else {
        errand->error = -EBADF;
    }
    leave();
}

/* Whether a signal is pending that the program must handle now. The calling thread is suspended
 * with all signals blocked. So a signal for this thread stays pending, and so does one for the
 * process unless another thread takes it. These count:
 * - A signal without a handler: it will end the process.
 * - A signal in `asks`, with a handler.
 * - A signal with a handler that was sent to this thread, unless it is in `timers`. libc (setuid,
 *   cancellation) and garbage collectors send such a signal to each thread and wait until it is
 *   handled.
 *
 * A signal that the program ignores, or that the calling thread itself blocks, never counts, nor
 * does one in `left`. This runs in the keeper, which has a copy of the program's signal actions. */
static bool is_interrupted(struct cua_errand *errand)
{
    /* Requests to end. */
    static const uint64_t asks =
        1ULL << (SIGHUP - 1) | 1ULL << (SIGINT - 1) | 1ULL << (SIGQUIT - 1) | 1ULL << (SIGTERM - 1);
    /* These never count, even with a handler: by default they stop the process or do nothing. */
    static const uint64_t left = 1ULL << (SIGSTOP - 1) | 1ULL << (SIGTSTP - 1) |
                                 1ULL << (SIGTTIN - 1) | 1ULL << (SIGTTOU - 1) |
                                 1ULL << (SIGCHLD - 1) | 1ULL << (SIGCONT - 1) |
                                 1ULL << (SIGURG - 1) | 1ULL << (SIGWINCH - 1);
    static const uint64_t timers =
        1ULL << (SIGPROF - 1) | 1ULL << (SIGVTALRM - 1) | 1ULL << (SIGALRM - 1);
    long size = call(SYS_pread64, errand->caller, (long)errand->text, sizeof(errand->text) - 1, 0);
    uint64_t own, shared, action[4], bit;
    int i;

    errand->text[size > 0 ? size : 0] = 0;
    own = cua_status_hex(errand->text, "SigPnd:\t");
    shared = cua_status_hex(errand->text, "ShdPnd:\t");
    for (i = 1; i <= 64; i++) {
        bit = 1ULL << (i - 1);
        if (!((own | shared) & ~left & ~errand->before & bit))
            continue;
        action[0] = 0;
        call(SYS_rt_sigaction, i, 0, (long)action, SIGNALS);
        if (!action[0] || (action[0] != 1 && (asks | (own & ~timers)) & bit))
            return true;
    }
    return false;
}

/* Returns false when it is time to give up: an error is set already, or this sets -ETIMEDOUT or
 * -EINTR. */
static bool may_go_on(struct cua_errand *errand)
{
    long now = read_clock(CLOCK_MONOTONIC);
    uint64_t used = used_by(errand->helper);

    if (errand->error)
        return false;
    if (used != errand->used) {
        errand->used = used;
        errand->moved = now;
    }
    /* During a trial, for which hear() has raised the limit, other processes do the work: the
     * answerer may be idle, and only the limit applies. */
    if (now - errand->started >= errand->limit ||
        (errand->limit == CUA_TIME_MOST && now - errand->moved >= CUA_IDLE_MOST))
        errand->error = -ETIMEDOUT;
    else if (now > errand->started + SLICE && !errand->put && is_interrupted(errand))
        errand->error = -EINTR;
    return !errand->error;
}

static bool is_ready(struct cua_errand *errand, int fd, short events)
{
    struct pollfd poll = {fd, events, 0};
    struct timespec slice;
    long n;

    while (may_go_on(errand)) {
        /* Set before each call: ppoll overwrites it with the time that is left. */
        slice = (struct timespec){0, SLICE * 1000000L};
        n = cua_syscall(SYS_ppoll, (long)&poll, 1, (long)&slice, 0, SIGNALS, 0);
        if (n > 0)
            return true;
        if (n < 0 && n != -EINTR)
            errand->error = n;
    }
    return false;
}

static void flush(struct cua_errand *errand)
{
    size_t at = 0;
    long n;

    while (at < errand->put && is_ready(errand, errand->writer, POLLOUT)) {
        n = call(SYS_write, errand->writer, (long)errand->text + (long)at, (long)(errand->put - at),
                 0);
        if (n > 0)
            at += (size_t)n;
        else if (n != -EAGAIN)
            errand->error = n;
    }
    errand->put = 0;
}

void cua_put(struct cua_errand *errand, const char *bytes, size_t size)
{
    size_t part;

    for (; size && !errand->error; size -= part, bytes += part) {
        if (errand->put == sizeof(errand->text))
            flush(errand);
        part = sizeof(errand->text) - errand->put;
        part = part < size ? part : size;
        cua_mempcpy(errand->text + errand->put, bytes, part);
        errand->put += part;
    }
}

void cua_put_text(struct cua_errand *errand, char kind, const char *text)
{
    cua_put(errand, &kind, 1);
    cua_put(errand, text, cua_length(text) + 1);
}

void cua_put_number(struct cua_errand *errand, char kind, uint64_t number)
{
    char digits[17], *at = digits + sizeof(digits) - 1;

    for (*at = 0; number || !*at; number >>= 4)
        *--at = "0123456789abcdef"[number & 15];
    cua_put_text(errand, kind, at);
}

/* Reads the answer until its last record (CUA_ANSWERS_END). Does not wait for end-of-file, because
 * a process that the answerer left behind may hold the pipe open. If the answer begins with
 * CUA_ANSWERS_TRIAL, raises the limit. */
static void hear(struct cua_errand *errand)
{
    long n = 1;

    while (n > 0 && is_ready(errand, errand->reader, POLLIN)) {
        n = call(SYS_read, errand->reader, (long)errand->answer + (long)errand->length,
                 (long)(CUA_ANSWER_MOST - errand->length), 0);
        if (n <= 0)
            break;
        if (!errand->length && errand->answer[0] == CUA_ANSWERS_TRIAL)
            errand->limit = read_clock(CLOCK_MONOTONIC) - errand->started + TRIAL_MORE +
                            (long)cua_decimal(errand->answer + 1) * 1000;
        errand->length += (size_t)n;
        if (errand->answer[errand->length - 1] == 0 && errand->length > 1 &&
            errand->answer[errand->length - 2] == CUA_ANSWERS_END &&
            (errand->length == 2 || !errand->answer[errand->length - 3]))
            break;
    }
}

static void close_all(void)
{
    struct rlimit limit = {0, 0};
    long fd;

    if (call(SYS_close_range, 0, ~0U, 0, 0) >= 0)
        return;
    call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit);
    for (fd = 0; fd < DESCRIPTORS && (rlim_t)fd < limit.rlim_cur; fd++)
        call(SYS_close, fd, 0, 0, 0);
}

/* Opens /dev/null. If there is none, opens the root folder with O_PATH, so that the descriptor can
 * be neither read nor written. Returns -errno if that fails, too. */
static int open_nowhere(void)
{
    long fd = call(SYS_openat, AT_FDCWD, (long)"/dev/null", O_RDWR | O_CLOEXEC, 0);

    return (int)(fd >= 0 ? fd : call(SYS_openat, AT_FDCWD, (long)"/", O_PATH | O_CLOEXEC, 0));
}

static bool open_all(struct cua_errand *errand)
{
    int question[2], answer[2], i;
    long failed;

    close_all();
    failed = open_nowhere();
    /* Fills the descriptor numbers that the answerer uses, up to CUA_FD_ANSWER, with duplicates. So
     * the ends of the pipes, opened next, get higher numbers. */
    for (i = 0; failed >= 0 && i < CUA_FD_ANSWER; i++)
        failed = call(SYS_dup, failed, 0, 0, 0);
    errand->null = (int)failed;
    if (failed >= 0)
        failed = call(SYS_pipe2, (long)question, O_CLOEXEC, 0, 0);
    if (failed >= 0)
        failed = call(SYS_pipe2, (long)answer, O_CLOEXEC, 0, 0);
    if (failed < 0) {
        errand->error = failed;
        return false;
    }
    errand->heard = question[0];
    errand->writer = question[1];
    errand->reader = answer[0];
    errand->spoken = answer[1];
    call(SYS_fcntl, errand->writer, F_SETFL, O_WRONLY | O_NONBLOCK, 0);
    return true;
}

/* Waits until the answerer ends, and kills it once may_go_on returns false. Also reaps the
 * processes that the answerer leaves behind, such as a trial's: they become children of the keeper.
 * Waits for them at most STRAYS ms after the answerer's end, or one second after a kill. A process
 * that hangs in a dead device cannot be killed; the keeper leaves it to whoever reaps orphans. */
static void reap(struct cua_errand *errand)
{
    static const uint64_t child = 1ULL << (SIGCHLD - 1);
    static const struct timespec slice = {0, SLICE * 1000000L};
    long until = 0, pid;
    bool ended = false;
    int status;

    for (;;) {
        pid = call(SYS_wait4, -1, (long)&status, __WALL | WNOHANG, 0);
        if (pid == errand->helper) {
            errand->status = status;
            ended = true;
        }
        if (pid > 0)
            continue;
        if ((pid < 0 && pid != -EINTR) || (until && read_clock(CLOCK_MONOTONIC) >= until))
            break;
        if (!until && (ended || !may_go_on(errand))) {
            until = read_clock(CLOCK_MONOTONIC) + (ended ? STRAYS : 1000);
            if (!ended) /* the answerer is not reaped yet, so no other process has its number */
                call(SYS_kill, errand->helper, SIGKILL, 0, 0);
        }
        /* All signals are blocked here, so SIGCHLD stays pending until it is fetched. */
        call(SYS_rt_sigtimedwait, (long)&child, 0, (long)&slice, SIGNALS);
    }
}

/* Sets an alarm that ends the keeper. The keeper is suspended (CLONE_VFORK) until its child has
 * executed the answerer. If a file system hangs, that may never happen. `seconds` 0: removes the
 * alarm and restores the old action for SIGALRM. */
static void set_alarm(struct cua_errand *errand, long seconds)
{
    static const unsigned long long none[4];
    static const uint64_t alarm = 1ULL << (SIGALRM - 1);
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};

    if (seconds)
        call(SYS_rt_sigaction, SIGALRM, (long)none, (long)errand->alarm, SIGNALS);
    call(SYS_setitimer, ITIMER_REAL, (long)&timer, 0, 0);
    call(SYS_rt_sigprocmask, seconds ? SIG_UNBLOCK : SIG_BLOCK, (long)&alarm, 0, SIGNALS);
    if (!seconds)
        call(SYS_rt_sigaction, SIGALRM, (long)errand->alarm, 0, SIGNALS);
}

static void keep(void *data)
{
    static const unsigned long long none[4];
    static const struct rlimit nothing;
    struct cua_errand *errand = data;

    /* Leaves the program's process group before anything else. If that group is stopped, the
     * program's parent, such as a shell, is notified only when the keeper has ended. A keeper in
     * the group would be stopped, too, and would not end. */
    call(SYS_setpgid, 0, 0, 0, 0);
    call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
    /* Otherwise a process that a killed answerer leaves behind becomes a child of process 1, which
     * may be the program. */
    call(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0);
    call(SYS_prlimit64, 0, RLIMIT_CORE, (long)&nothing, 0);
    /* Restores the default action: if SIGCHLD were ignored, as it may be in the program, wait would
     * not report the end of the answerer. */
    call(SYS_rt_sigaction, SIGCHLD, (long)none, 0, SIGNALS);
    errand->put = 0;
    errand->lines = cua_stderr_takes_lines(2, call);
    set_alarm(errand, CUA_TIME_MOST / 1000);
    /* This system call is made in the keeper: if a sandbox kills for it, that kills the keeper and
     * not the program. */
    if (errand->by_root && call(SYS_prctl, PR_GET_SECUREBITS, 0, 0, 0) & SECBIT_NOROOT)
        errand->error = -EPERM;
    if (errand->error || !open_all(errand))
        leave();
    errand->started = errand->moved = read_clock(CLOCK_MONOTONIC);
    errand->limit = CUA_TIME_MOST;
    errand->helper = cua_clone(CLONE_VM | CLONE_VFORK | CLONE_UNTRACED | SIGCHLD,
                               (char *)errand + HEAD + GUARD + STACK, execute, errand);
    set_alarm(errand, 0);
    if (errand->helper < 0) {
        errand->error = errand->helper;
        leave();
    }
    call(SYS_close, errand->heard, 0, 0, 0);
    call(SYS_close, errand->spoken, 0, 0, 0);
    call(SYS_close, errand->null, 0, 0, 0);
    /* Opened once, because is_interrupted reads this file again and again. */
    errand->caller = cua_sys_open(errand->caller_path);
    if (!errand->error)
        errand->question(errand);
    flush(errand);
    call(SYS_close, errand->writer, 0, 0, 0);
    hear(errand);
    if (!errand->error && errand->stands && !errand->stands(errand))
        errand->error = -EBUSY;
    call(SYS_close, errand->reader, 0, 0, 0);
    reap(errand);
    leave();
}

struct cua_errand *cua_errand_new(void)
{
    long at = cua_syscall(SYS_mmap, 0, MAPPING, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at < 0 && at > -4096)
        return NULL;
    call(SYS_mprotect, at + HEAD, GUARD, PROT_NONE, 0);
    call(SYS_mprotect, at + HEAD + GUARD + STACK, GUARD, PROT_NONE, 0);
    return (struct cua_errand *)at;
}

void cua_errand_free(struct cua_errand *errand)
{
    cua_sys_unmap(errand, MAPPING);
}

static void write_caller(char *to)
{
    long number = call(SYS_gettid, 0, 0, 0, 0), unit = 1;

    to = cua_mempcpy(to, "/proc/", sizeof("/proc/") - 1);
    while (number / unit >= 10)
        unit *= 10;
    for (; unit; unit /= 10)
        *to++ = (char)('0' + number / unit % 10);
    cua_mempcpy(to, "/status", sizeof("/status"));
}

_Atomic(int) cua_errands, cua_errands_begun;

void cua_errand_run(struct cua_errand *errand)
{
    const uint64_t all = ~0ULL;
    int status = 0;
    long pid;

    errand->status = -1;
    write_caller(errand->caller_path);
    call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&errand->before, SIGNALS);
    /* Both counters are raised while signals are blocked: otherwise a handler that leaves by
     * longjmp would leave cua_errands too high. cua_errands comes first: a thread that saw only
     * cua_errands_begun raised would take the keeper for a child of the program
     * (has_quiet_child). */
    atomic_fetch_add(&cua_errands, 1);
    atomic_fetch_add(&cua_errands_begun, 1);
    /* No other flags, such as CLONE_FILES: valgrind ends a program that shares its descriptors with
     * a child. */
    pid =
        cua_clone(CLONE_VM | CLONE_VFORK | CLONE_UNTRACED, (char *)errand + MAPPING, keep, errand);
    if (pid < 0)
        errand->error = pid;
    while (pid > 0 && call(SYS_wait4, pid, (long)&status, __WCLONE, 0) == -EINTR)
        ;
    if ((status & 127) == SIGALRM)
        errand->error = -ETIMEDOUT;
    atomic_fetch_sub(&cua_errands, 1);
    call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&errand->before, 0, SIGNALS);
}
