/* SPDX-License-Identifier: Apache-2.0 */
/* What a program notices of a trial: nothing. */
#include "apart.h"
#include "trial/trial.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static int count_descriptors(void)
{
    int found = 0;

    for (int fd = 0; fd < 1024; fd++)
        found += fcntl(fd, F_GETFD) >= 0;
    return found;
}

static void no_descriptor_is_left_or_needed(void)
{
    int before = count_descriptors();
    const struct rlimit limit = {32, 32};

    must_answer("0", 0);
    MUST(count_descriptors() == before);
    setrlimit(RLIMIT_NOFILE, &limit);
    while (dup(0) >= 0)
        ;
    MUST(errno == EMFILE);
    must_answer("0", 0);
}

/* As kernels before 5.9 answer. */
static void refuse_close_range(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

    MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    MUST(syscall(SYS_close_range, 1000, 1001, 0) == -1 && errno == ENOSYS);
}

static void old_kernel_closes_too(void)
{
    refuse_close_range();
    for (int i = 0; i < 300; i++)
        MUST(dup(0) >= 0);
    must_answer("descriptors", 5004);
    while (dup(0) >= 0)
        ;
    must_answer("0", 0);
}

static void mask_and_errno_are_kept(void)
{
    const struct cua_settings settings = {.home = home};
    const struct cua_trial_request request = {
        .settings = &settings, .when = CUA_TRIAL_ALWAYS, .limit = 10, .kmd = "", .file = {driver}};
    static struct cua_trial_answers answers;
    sigset_t some, after;

    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    sigprocmask(SIG_SETMASK, &some, NULL);
    setenv("ODD", "803", 1);
    errno = 77;
    int err = cua_trial_ask(&answers, &request);
    MUST(errno == 77 && err == 0 && answers.file[0].code == 803);
    sigprocmask(SIG_SETMASK, NULL, &after);
    for (int i = 1; i < NSIG; i++)
        MUST((sigismember(&after, i) == 1) == (i == SIGUSR1));
}

static _Atomic int children_signalled;

static void on_child(int number)
{
    (void)number;
    children_signalled++;
}

static void nothing_for_wait(void)
{
    struct sigaction action = {.sa_handler = on_child};
    struct cua_trial trial;

    sigaction(SIGCHLD, &action, NULL);
    must_answer("0", 0);
    MUST(try_driver(&trial, "crash", 10) == 0);
    MUST(try_driver(&trial, "hang", 1) == 0);
    MUST(children_signalled == 0);
    MUST(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static _Atomic int stop;
static pid_t own_child;

/* A server's loop: waits for any child, and knows the one it has. */
static void *wait_for_children(void *data)
{
    (void)data;
    MUST(waitpid(-1, NULL, 0) == own_child);
    stop = 1;
    return NULL;
}

static void waiting_thread_sees_its_own_child_only(void)
{
    pthread_t thread;
    struct cua_trial trial;
    int pipes[2];
    char byte;

    MUST(pipe(pipes) == 0);
    own_child = fork();
    if (own_child == 0) {
        close(pipes[1]);
        _exit(read(pipes[0], &byte, 1) != 0);
    }
    MUST(pthread_create(&thread, NULL, wait_for_children, NULL) == 0);
    for (int i = 0; i < 20; i++)
        must_answer("0", 0);
    MUST(try_driver(&trial, "crash", 10) == 0);
    MUST(!stop);
    /* The trial holds no copy of the pipe: closing it here is the end of it. */
    close(pipes[1]);
    pthread_join(thread, NULL);
}

static void works_where_children_are_ignored(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
    struct cua_trial trial;

    signal(SIGCHLD, SIG_IGN);
    must_answer("803", 803);
    MUST(try_driver(&trial, "crash", 10) == 0 && strstr(trial.trouble, "signal 6"));
    sigaction(SIGCHLD, &action, NULL);
    must_answer("803", 803);
}

static void *allocate(void *data)
{
    void *block[16] = {NULL};
    unsigned seed = (unsigned)(uintptr_t)data;

    for (unsigned n = 1; !stop; n++) {
        int i = rand_r(&seed) % 16;
        if (n % 64 == 0)
            usleep(100);
        free(block[i]);
        block[i] = malloc((size_t)rand_r(&seed) % 100000);
    }
    for (int i = 0; i < 16; i++)
        free(block[i]);
    return NULL;
}

static void works_among_threads_in_malloc(void)
{
    /* One heap for all, so that few threads do: with many, and none that ever rests, the trial gets
     * no turn on a machine that is busy already. */
    pthread_t thread[8];

    mallopt(M_ARENA_MAX, 1); /* a sanitizer's malloc knows none */
    for (uintptr_t i = 0; i < 8; i++)
        MUST(pthread_create(&thread[i], NULL, allocate, (void *)(i + 1)) == 0);
    for (int i = 0; i < 10; i++)
        must_answer("803", 803);
    stop = 1;
    for (int i = 0; i < 8; i++)
        MUST(pthread_join(thread[i], NULL) == 0);
}

static void *try_in_thread(void *data)
{
    (void)data;
    must_answer(NULL, 803);
    return NULL;
}

static void threads_may_try_at_once(void)
{
    pthread_t thread[8];

    setenv("ODD", "803", 1);
    for (int i = 0; i < 8; i++)
        MUST(pthread_create(&thread[i], NULL, try_in_thread, NULL) == 0);
    for (int i = 0; i < 8; i++)
        MUST(pthread_join(thread[i], NULL) == 0);
}

static _Atomic long ticks;

static void *tick(void *data)
{
    (void)data;
    while (!stop) {
        ticks++;
        usleep(1000);
    }
    return NULL;
}

static void other_threads_run_on(void)
{
    pthread_t thread;
    struct cua_trial trial;

    MUST(pthread_create(&thread, NULL, tick, NULL) == 0);
    long before = ticks;
    MUST(try_driver(&trial, "hang", 1) == 0);
    MUST(ticks - before > 50);
    stop = 1;
    pthread_join(thread, NULL);
}

static void cancelled_thread_does_not_unwind_in_the_trial(void)
{
    pthread_t thread;
    void *result;

    setenv("ODD", "803", 1);
    MUST(pthread_create(&thread, NULL, try_in_thread, NULL) == 0);
    pthread_cancel(thread);
    MUST(pthread_join(thread, &result) == 0);
}

/* The terminal's Ctrl-C goes to the group: it does not have to wait for the driver. */
static void interrupted_by_the_group(void)
{
    struct cua_trial trial;
    struct sigaction action = {.sa_handler = on_child};
    long long before = now_ms();

    MUST(setpgid(0, 0) == 0);
    sigaction(SIGINT, &action, NULL);
    pid_t other = fork();
    if (other == 0) {
        signal(SIGINT, SIG_IGN);
        usleep(300000);
        kill(0, SIGINT);
        _exit(0);
    }
    MUST(try_driver(&trial, "hang", 20) == CUA_BAR_SIGNAL);
    MUST(now_ms() - before < 5000);
    MUST(children_signalled == 1);
    MUST(waitpid(other, NULL, 0) == other);
}

/* Sends a signal to this process alone in a moment. */
static pid_t signal_soon(int number)
{
    pid_t parent = getpid(), other = fork();

    if (other == 0) {
        usleep(300000);
        kill(parent, number);
        _exit(0);
    }
    return other;
}

/* As a container is stopped: the first process gets the signal, and not its group. */
static void interrupted_alone(void)
{
    const struct rlimit no_core = {0, 0};
    static const int ends[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1};
    struct sigaction action = {.sa_handler = on_child};
    struct cua_trial trial;
    int status;

    setrlimit(RLIMIT_CORE, &no_core);
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        long long before = now_ms();
        pid_t program = fork();
        if (program == 0) {
            signal(ends[i], SIG_DFL); /* a shell's background job ignores two of them */
            signal_soon(ends[i]);
            try_driver(&trial, "hang", 20);
            _exit(1);
        }
        MUST(waitpid(program, &status, 0) == program);
        MUST(WIFSIGNALED(status) && WTERMSIG(status) == ends[i]);
        MUST(now_ms() - before < 2000);
    }
    sigaction(SIGTERM, &action, NULL);
    long long before = now_ms();
    pid_t other = signal_soon(SIGTERM);
    MUST(try_driver(&trial, "hang", 20) == CUA_BAR_SIGNAL);
    MUST(now_ms() - before < 2000);
    MUST(children_signalled == 1);
    MUST(waitpid(other, NULL, 0) == other);
}

/* A timer is no reason to give up. */
static void handled_timer_does_not_interrupt(void)
{
    struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART};

    sigaction(SIGALRM, &action, NULL);
    ualarm(20000, 20000);
    must_answer("slow", 0);
    MUST(children_signalled > 0);
    ualarm(0, 0);
}

static void ignored_signal_does_not_interrupt(void)
{
    MUST(setpgid(0, 0) == 0);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    pid_t terminator = signal_soon(SIGTERM);
    pid_t other = fork();
    if (other == 0) {
        usleep(100000);
        kill(0, SIGHUP);
        _exit(0);
    }
    setenv("ODD", "slow", 1);
    must_answer(NULL, 0);
    MUST(waitpid(other, NULL, 0) == other);
    must_answer(NULL, 0);
    MUST(waitpid(terminator, NULL, 0) == terminator);
}

/* Counts processes whose environment has the mark. */
static int count_marked(const char *mark)
{
    char path[64], text[65536];
    struct dirent *entry;
    int found = 0;
    DIR *proc = opendir("/proc");

    while (proc && (entry = readdir(proc))) {
        snprintf(path, sizeof(path), "/proc/%.20s/environ", entry->d_name);
        int fd = entry->d_name[0] <= '9' ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        if (fd < 0)
            continue;
        ssize_t n = read(fd, text, sizeof(text));
        close(fd);
        found += n > 0 && memmem(text, (size_t)n, mark, strlen(mark));
    }
    if (proc)
        closedir(proc);
    return found;
}

static void killed_program_takes_the_trial_along(void)
{
    struct cua_trial trial;
    char mark[64];

    snprintf(mark, sizeof(mark), "ODD_MARK=%d", (int)getpid());
    pid_t program = fork();
    if (program == 0) {
        putenv(mark);
        try_driver(&trial, "hang", 30);
        _exit(0);
    }
    for (int i = 0; i < 100 && count_marked(mark) == 0; i++)
        usleep(50000);
    MUST(count_marked(mark) == 1);
    kill(program, SIGKILL);
    MUST(waitpid(program, NULL, 0) == program);
    for (int i = 0; i < 40 && count_marked(mark) > 0; i++)
        usleep(50000);
    MUST(count_marked(mark) == 0);
}

static void works_as_the_first_process(void)
{
    int status;

    if (unshare(CLONE_NEWPID) != 0) {
        printf("# skipped: %s: no process namespaces here\n", __func__);
        fflush(stdout);
        _exit(0);
    }
    pid_t first = fork();
    if (first == 0) {
        MUST(getpid() == 1);
        signal(SIGCHLD, on_child);
        must_answer("0", 0);
        must_answer("fork", 0);
        MUST(children_signalled == 0);
        MUST(waitpid(-1, NULL, WNOHANG | __WALL) == -1 && errno == ECHILD);
        _exit(0);
    }
    MUST(waitpid(first, &status, 0) == first && WIFEXITED(status));
    _exit(WEXITSTATUS(status));
}

#define CASES(X)                                                                                   \
    X(no_descriptor_is_left_or_needed)                                                             \
    X(old_kernel_closes_too)                                                                       \
    X(mask_and_errno_are_kept)                                                                     \
    X(nothing_for_wait)                                                                            \
    X(waiting_thread_sees_its_own_child_only)                                                      \
    X(works_where_children_are_ignored)                                                            \
    X(works_among_threads_in_malloc)                                                               \
    X(threads_may_try_at_once)                                                                     \
    X(other_threads_run_on)                                                                        \
    X(cancelled_thread_does_not_unwind_in_the_trial)                                               \
    X(interrupted_by_the_group)                                                                    \
    X(interrupted_alone)                                                                           \
    X(handled_timer_does_not_interrupt)                                                            \
    X(ignored_signal_does_not_interrupt)                                                           \
    X(killed_program_takes_the_trial_along)                                                        \
    X(works_as_the_first_process)

CUA_MAIN(CASES)
