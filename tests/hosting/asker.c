/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asker BEHAVIOUR: opens libcuda.so.1 while something else goes on, and says which one it got (1
 * the right one, 2 the other), and what else it noticed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asker.h"

static volatile int stop, count, foreign;
static pid_t self;

static void counts(int signal)
{
    (void)signal;
    count++;
    foreign += getpid() != self;
}

static void handle(int signal, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

    sigaction(signal, &action, NULL);
}

static void *waits_for_any(void *arg)
{
    int flags = *(int *)arg;

    while (!stop)
        if (waitpid(-1, NULL, flags | WNOHANG) > 0)
            count++;
    return NULL;
}

static int with_thread(void *(*run)(void *), void *arg)
{
    pthread_t thread;
    int got;

    if (pthread_create(&thread, NULL, run, arg) != 0)
        exit(99);
    pause_for(20);
    got = opens();
    stop = 1;
    pthread_join(thread, NULL);
    return got;
}

/* A stranger in wait. */
static void strangers(void)
{
    int flags = 0, got = with_thread(waits_for_any, &flags), last = waitpid(-1, NULL, WNOHANG);

    printf("%d, %d strangers, then %s\n", got, count, last < 0 && errno == ECHILD ? "none" : "one");
}

/* Another thread takes every child there is. */
static void all_children(void)
{
    int flags = __WALL;

    printf("%d\n", with_thread(waits_for_any, &flags));
}

static void child_signals(void)
{
    handle(SIGCHLD, counts);
    int got = opens();
    printf("%d, %d signals\n", got, count);
}

/* Orphans are this program's, as they are process 1's. */
static void subreaper(void)
{
    int strangers = 0;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    handle(SIGCHLD, counts);
    int got = opens();
    pause_for(300);
    while (waitpid(-1, NULL, __WALL) > 0)
        strangers++;
    printf("%d, %d signals, %d strangers\n", got, count, strangers);
}

static void ignores_children(void)
{
    signal(SIGCHLD, SIG_IGN);
    printf("%d\n", opens());
}

static int descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int all = 0;

    while (folder && readdir(folder))
        all++;
    if (folder)
        closedir(folder);
    return all;
}

static void *counts_descriptors(void *arg)
{
    int *most = arg;

    while (!stop) {
        int all = descriptors();
        *most = all > *most ? all : *most;
    }
    return NULL;
}

static void no_descriptors(void)
{
    int before = descriptors(), most = before, got = with_thread(counts_descriptors, &most);

    printf("%d, %d more, %d left\n", got, most - before, descriptors() - before);
}

static void *closes_descriptors(void *arg)
{
    (void)arg;
    while (!stop)
        for (int fd = 3; fd < 64; fd++)
            if (syscall(SYS_fcntl, fd, F_GETFL) >= 0 &&
                (syscall(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
                syscall(SYS_close, fd);
    return NULL;
}

static void closer(void)
{
    printf("%d\n", with_thread(closes_descriptors, NULL));
}

static void closed(void)
{
    int out = fcntl(1, F_DUPFD_CLOEXEC, 10);

    for (int fd = 0; fd < 3; fd++)
        close(fd);
    int got = opens(), again = open("/", O_RDONLY | O_CLOEXEC);
    dprintf(out, "%d, then %d\n", got, again);
}

/* Handlers run in this process alone. */
static void timer(void)
{
    struct itimerval often = {{0, 1000}, {0, 1000}};

    handle(SIGALRM, counts);
    setitimer(ITIMER_REAL, &often, NULL);
    int got = opens();
    printf("%d, %d times elsewhere\n", got, foreign);
}

/* A thread stops all others by a signal, as a collector of garbage does, or setuid. */
static void *signals_thread(void *arg)
{
    pause_for(200);
    syscall(SYS_tgkill, getpid(), getpid(), *(int *)arg);
    return NULL;
}

static void signalled(int number)
{
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        unsigned long mask;
    } action;
    pthread_t thread;

    /* libc keeps 32 and 33 to itself, and has its way back from a handler. */
    handle(SIGUSR1, counts);
    syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, 8);
    pthread_create(&thread, NULL, signals_thread, &number);
    syscall(SYS_rt_sigaction, number, &action, NULL, 8);
    long before = now();
    int got = opens();
    long took = now() - before;
    pthread_join(thread, NULL);
    printf("%d, %d handled, %s\n", got, count, took < 1000 ? "at once" : "late");
}

static void *sets_id(void *arg)
{
    pause_for(200);
    long before = now();
    if (setuid(getuid()) != 0)
        exit(98);
    *(long *)arg = now() - before;
    return NULL;
}

static void set_id(void)
{
    long took = 0;
    int got = with_thread(sets_id, &took);

    printf("%d, %s\n", got, took < 1000 ? "at once" : "late");
}

static int never_ends(void *arg)
{
    (void)arg;
    while (pause())
        ;
    return 0;
}

/* Of the program's own, without an exit signal: another one would be found by its waits. */
static void own_clone(void)
{
    static char stack[64 * 1024];
    pid_t own = clone(never_ends, stack + sizeof(stack), 0, NULL);
    int got = opens(), found = waitpid(-1, NULL, __WCLONE | WNOHANG);

    kill(own, SIGKILL);
    printf("%d, %s, %s\n", got, found ? "a stranger" : "no stranger",
           waitpid(-1, NULL, __WCLONE) == own ? "its own" : "another");
}

static void new_namespace(void)
{
    int status = 0;

    if (unshare(CLONE_NEWPID) != 0) {
        puts("cannot");
        return;
    }
    int got = opens();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(getpid());
    waitpid(child, &status, 0);
    printf("%d, then %s\n", got, child > 0 && WEXITSTATUS(status) == 1 ? "the first" : "none");
}

static void *in_new_namespace(void *arg)
{
    (void)arg;
    new_namespace();
    return NULL;
}

/* Of a thread alone. */
static void thread_namespace(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, in_new_namespace, NULL) == 0)
        pthread_join(thread, NULL);
}

/* A signal that the program itself has blocked would not end it bare either. */
static void blocked(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGTERM);
    printf("%d\n", opens());
}

static long mapped(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long pages = 0;

    if (!file || fscanf(file, "%ld", &pages) != 1)
        exit(98);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE) / 1024;
}

/* A name that is found nowhere is asked about each time. */
static void again(void)
{
    long before = 0;

    for (int i = 0; i < 200; i++) {
        if (i == 10)
            before = mapped();
        dlopen("libnone.so.7", RTLD_NOW);
    }
    printf("%s\n", mapped() - before > 64 ? "more" : "no more");
}

static void limited(int what, rlim_t most)
{
    struct rlimit limit = {most, most};

    if (what == RLIMIT_NPROC && getuid() == 0 && setuid(54321) != 0)
        exit(98);
    setrlimit((__rlimit_resource_t)what, &limit);
    printf("%d\n", opens());
}

/* Opened by libc's own dlopen. */
static void *opens_unseen(void *arg)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY), *symbol = dlsym(libc, "dlopen");
    void *(*next)(const char *, int);

    if (!symbol)
        symbol = dlsym(dlopen("libdl.so.2", RTLD_LAZY), "dlopen");
    memcpy(&next, &symbol, sizeof(next));
    pause_for(300);
    *(void **)arg = next(getenv("CUA_MEANWHILE"), RTLD_LAZY);
    return NULL;
}

static void meanwhile(void)
{
    void *opened = NULL;
    int got = with_thread(opens_unseen, &opened);

    printf("%d, %s\n", got, opened ? "opened" : "not opened");
}

/* The child of a fork in the middle of a question asks itself. */
static void *opens_too(void *arg)
{
    *(int *)arg = opens();
    return NULL;
}

static void forked(void)
{
    pthread_t thread;
    int got = 0, status = 0;

    pthread_create(&thread, NULL, opens_too, &got);
    pause_for(300);
    pid_t child = fork();
    if (child == 0) {
        unsetenv("CUA_FAKE_FAULT");
        alarm(10);
        _exit(opens());
    }
    waitpid(child, &status, 0);
    pthread_join(thread, NULL);
    printf("%d, the child %d\n", got, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void plain(void)
{
    long before = now();
    int got = opens();

    printf("%d, %ld ms\n", got, now() - before);
}

/* With handlers, or without. */
static void interrupted(void)
{
    handle(SIGINT, counts);
    long before = now();
    int got = opens();
    printf("%d, %d handled, %s\n", got, count, now() - before < 1000 ? "at once" : "late");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } behaviours[] = {
        {"plain", plain},
        {"strangers", strangers},
        {"all-children", all_children},
        {"child-signals", child_signals},
        {"ignores-children", ignores_children},
        {"subreaper", subreaper},
        {"descriptors", no_descriptors},
        {"closer", closer},
        {"closed", closed},
        {"timer", timer},
        {"set-id", set_id},
        {"own-clone", own_clone},
        {"new-namespace", new_namespace},
        {"thread-namespace", thread_namespace},
        {"blocked", blocked},
        {"again", again},
        {"forked", forked},
        {"interrupted", interrupted},
        {"meanwhile", meanwhile},
    };

    if (argc < 2)
        return 99;
    setvbuf(stdout, NULL, _IOLBF, 0);
    self = getpid();
    if (strncmp(argv[1], "signal-", 7) == 0)
        signalled(atoi(argv[1] + 7));
    else if (strcmp(argv[1], "processes") == 0)
        limited(RLIMIT_NPROC, 0);
    else if (strncmp(argv[1], "files-", 6) == 0)
        limited(RLIMIT_NOFILE, (rlim_t)atoi(argv[1] + 6));
    for (size_t i = 0; i < sizeof(behaviours) / sizeof(*behaviours); i++)
        if (strcmp(argv[1], behaviours[i].name) == 0)
            behaviours[i].run();
    return 0;
}
