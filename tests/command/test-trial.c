/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program notices of a trial: nothing. Each test runs in a process of its own, which gives
 * 0 if all is well; CUA_HOME holds the command, CUA_ODD is the odd driver.
 */
#include "../unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trial.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static const char *home, *driver;

/* In the forked process: ends it, telling where. */
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "# %s:%d: %s (errno %d)\n", __func__, __LINE__, #condition, errno);    \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void apart(void (*test)(void))
{
    int status = -1;
    fflush(NULL);
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(60);
        test();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int try_driver(struct cua_trial *trial, const char *odd, unsigned timeout)
{
    const struct cua_view view = {.sysroot = "", .home = home};

    if (odd)
        setenv("ODD", odd, 1);
    return cua_trial_run(trial, &view, driver, timeout, false);
}

static long long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void must_answer(const char *odd, int code)
{
    struct cua_trial trial;

    MUST(try_driver(&trial, odd, 10) == 0);
    MUST(trial.how == CUA_TRIAL_RAN);
    if (trial.code != code)
        fprintf(stderr, "# code %d instead of %d\n", trial.code, code);
    MUST(trial.code == code);
}

static void tells_code_and_devices(void)
{
    struct cua_trial trial;

    MUST(try_driver(&trial, "0", 10) == 0);
    MUST(trial.how == CUA_TRIAL_RAN && trial.code == 0 && !trial.step[0]);
    MUST(trial.driver == 12040 && trial.devices == 2 && trial.lowest_cc == 75);
    must_answer("803", 803);
    MUST(try_driver(&trial, "804", 10) == 0);
    MUST(strcmp(trial.step, "cuInit") == 0);
    MUST(strcmp(trial.name, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE") == 0);
}

static void context_failure_is_named(void)
{
    const struct cua_view view = {.sysroot = "", .home = home};
    struct cua_trial trial;

    setenv("ODD", "context-fails", 1);
    MUST(cua_trial_run(&trial, &view, driver, 10, false) == 0 && trial.code == 0);
    MUST(cua_trial_run(&trial, &view, driver, 10, true) == 0 && trial.code == 999);
    MUST(strcmp(trial.step, "context") == 0);
}

static void has_no_preload_and_keeps_the_rest(void)
{
    setenv("LD_PRELOAD", "/nonexistent.so", 1);
    setenv("ODD_KEPT", "1", 1);
    must_answer("preload", 7000);
    must_answer("kept", 7001);
}

static void hang_ends_in_time(void)
{
    struct cua_trial trial;
    long long before = now_ms();

    MUST(try_driver(&trial, "hang", 1) == 0);
    MUST(trial.how == CUA_TRIAL_TIMEOUT && !trial.left_behind);
    MUST(strcmp(trial.step, "cuInit") == 0);
    MUST(now_ms() - before >= 1000 && now_ms() - before < 3000);
    before = now_ms();
    MUST(try_driver(&trial, "stop", 1) == 0 && trial.how == CUA_TRIAL_TIMEOUT);
    MUST(try_driver(&trial, "spin", 1) == 0 && trial.how == CUA_TRIAL_TIMEOUT);
    MUST(now_ms() - before < 6000);
}

static void crash_is_broken(void)
{
    struct cua_trial trial;

    MUST(try_driver(&trial, "crash", 10) == 0 && trial.how == CUA_TRIAL_BROKEN);
    MUST(strstr(trial.trouble, "signal 6"));
    MUST(try_driver(&trial, "exit", 10) == 0 && trial.how == CUA_TRIAL_BROKEN);
    MUST(strstr(trial.trouble, "exit code 7"));
}

static void what_the_driver_forked_is_gone(void)
{
    long long before = now_ms();
    struct cua_trial trial;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    must_answer("fork", 0);
    MUST(try_driver(&trial, "fork-crash", 10) == 0 && trial.how == CUA_TRIAL_BROKEN);
    must_answer("atexit-hang", 0);
    MUST(now_ms() - before < 3000);
    MUST(waitpid(-1, NULL, WNOHANG | __WALL) == -1 && errno == ECHILD);
}

static void no_descriptor_goes_in(void)
{
    for (int i = 0; i < 50; i++)
        MUST(dup(0) >= 0);
    /* 0, 1, 2 and the report's. */
    must_answer("descriptors", 5004);
}

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

static void helper_has_its_signals(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    must_answer("signals", 6000);
}

static void mask_and_errno_are_kept(void)
{
    sigset_t some, after;
    struct cua_trial trial;

    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    sigprocmask(SIG_SETMASK, &some, NULL);
    setenv("ODD", "803", 1);
    errno = 77;
    int err = try_driver(&trial, NULL, 10);
    MUST(errno == 77 && err == 0);
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

    while (!stop) {
        int i = rand_r(&seed) % 16;
        free(block[i]);
        block[i] = malloc((size_t)rand_r(&seed) % 100000);
    }
    for (int i = 0; i < 16; i++)
        free(block[i]);
    return NULL;
}

static void works_among_threads_in_malloc(void)
{
    pthread_t thread[64];

    for (uintptr_t i = 0; i < 64; i++)
        MUST(pthread_create(&thread[i], NULL, allocate, (void *)(i + 1)) == 0);
    for (int i = 0; i < 10; i++)
        must_answer("803", 803);
    stop = 1;
    for (int i = 0; i < 64; i++)
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

static void refused_process_is_an_error(void)
{
    const struct rlimit none = {0, 0};
    struct cua_trial trial;

    if (geteuid() == 0)
        MUST(setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
    MUST(setrlimit(RLIMIT_NPROC, &none) == 0);
    MUST(try_driver(&trial, "0", 10) == -EAGAIN);
}

static void missing_command_is_an_error(void)
{
    const struct cua_view view = {.sysroot = "", .home = "/nonexistent"};
    struct cua_trial trial;

    MUST(cua_trial_run(&trial, &view, driver, 10, false) == -ENOENT);
    MUST(waitpid(-1, NULL, WNOHANG | __WALL) == -1 && errno == ECHILD);
}

static void whatif_executes_nothing(void)
{
    const struct cua_view view = {.sysroot = "", .home = home, .whatif = true};
    struct cua_trial trial;

    MUST(cua_trial_run(&trial, &view, driver, 10, false) == -EPERM);
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
    MUST(try_driver(&trial, "hang", 20) == -EINTR);
    MUST(now_ms() - before < 5000);
    MUST(children_signalled == 1);
    MUST(waitpid(other, NULL, 0) == other);
}

static void ignored_signal_does_not_interrupt(void)
{
    MUST(setpgid(0, 0) == 0);
    signal(SIGHUP, SIG_IGN);
    pid_t other = fork();
    if (other == 0) {
        usleep(100000);
        kill(0, SIGHUP);
        _exit(0);
    }
    setenv("ODD", "slow", 1);
    must_answer(NULL, 0);
    MUST(waitpid(other, NULL, 0) == other);
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

    if (unshare(CLONE_NEWPID) != 0)
        _exit(77);
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

static void what_is_no_driver_is_broken(void)
{
    const struct cua_view view = {.sysroot = "", .home = home};
    struct cua_trial trial;

    MUST(cua_trial_run(&trial, &view, "/etc/passwd", 10, false) == 0);
    MUST(trial.how == CUA_TRIAL_BROKEN && strcmp(trial.step, "dlopen") == 0 && trial.trouble[0]);
    MUST(cua_trial_run(&trial, &view, "/nonexistent", 10, false) == 0);
    MUST(trial.how == CUA_TRIAL_BROKEN);
    MUST(cua_trial_run(&trial, &view, "relative.so", 10, false) == -EINVAL);
}

#define CASES(X)                                                                                   \
    X(tells_code_and_devices)                                                                      \
    X(context_failure_is_named)                                                                    \
    X(has_no_preload_and_keeps_the_rest)                                                           \
    X(hang_ends_in_time)                                                                           \
    X(crash_is_broken)                                                                             \
    X(what_the_driver_forked_is_gone)                                                              \
    X(no_descriptor_goes_in)                                                                       \
    X(no_descriptor_is_left_or_needed)                                                             \
    X(old_kernel_closes_too)                                                                       \
    X(helper_has_its_signals)                                                                      \
    X(mask_and_errno_are_kept)                                                                     \
    X(nothing_for_wait)                                                                            \
    X(waiting_thread_sees_its_own_child_only)                                                      \
    X(works_where_children_are_ignored)                                                            \
    X(works_among_threads_in_malloc)                                                               \
    X(threads_may_try_at_once)                                                                     \
    X(other_threads_run_on)                                                                        \
    X(cancelled_thread_does_not_unwind_in_the_trial)                                               \
    X(refused_process_is_an_error)                                                                 \
    X(missing_command_is_an_error)                                                                 \
    X(whatif_executes_nothing)                                                                     \
    X(interrupted_by_the_group)                                                                    \
    X(ignored_signal_does_not_interrupt)                                                           \
    X(killed_program_takes_the_trial_along)                                                        \
    X(works_as_the_first_process)                                                                  \
    X(what_is_no_driver_is_broken)

#define DEFINE(name)                                                                               \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        apart(name);                                                                               \
    }
CASES(DEFINE)

int main(void)
{
#define ROW(name) {#name, test_##name, NULL, NULL, NULL},
    const struct CMUnitTest tests[] = {CASES(ROW)};

    home = getenv("CUA_HOME");
    driver = getenv("CUA_ODD");
    if (!home || !driver) {
        puts("1..0 # SKIP CUA_HOME and CUA_ODD are not set");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
