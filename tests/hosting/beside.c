/* SPDX-License-Identifier: Apache-2.0 */
/*
 * beside BEHAVIOUR: opens libcuda.so.1, which takes its time, and looks at itself meanwhile or
 * afterwards. Says which one it got, and what it saw.
 *
 *   sent SIGNAL default|ignored|handled thread|process   another thread sends it that
 *   mapping        a question's mapping, as /proc/self/maps has it
 *   dumpable       whether it may still be dumped
 *   ended-child    a child of its own without an exit signal has ended and waits to be reaped
 *   any-child      another thread waits for every kind of child
 *   two            another thread opens it, too
 *   keeper-killed  another thread kills the keeper when the answer has been written
 *   signalled      another thread sends the keeper a signal that the program handles
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asker.h"

static volatile int stop, handled, seen, bad;
static char kinds[512];
static pid_t sender_to, self;
static int number;

static void counts(int signal)
{
    (void)signal;
    handled++;
}

static int with_thread(void *(*run)(void *))
{
    pthread_t thread;
    int got;

    if (pthread_create(&thread, NULL, run, NULL) != 0)
        exit(99);
    got = opens();
    stop = 1;
    pthread_join(thread, NULL);
    return got;
}

/* What would stop the process is taken back again: SIGCONT does that. */
static void *sends(void *arg)
{
    (void)arg;
    pause_for(200);
    if (sender_to)
        syscall(SYS_tgkill, getpid(), sender_to, number);
    else
        kill(getpid(), number);
    pause_for(150);
    if (number == SIGTSTP || number == SIGTTIN || number == SIGTTOU)
        kill(getpid(), SIGCONT);
    return NULL;
}

static void sent(char **argv)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t set;

    number = atoi(argv[0]);
    action.sa_handler = !strcmp(argv[1], "ignored")   ? SIG_IGN
                        : !strcmp(argv[1], "handled") ? counts
                                                      : SIG_DFL;
    sigaction(number, &action, NULL);
    if (!strcmp(argv[2], "thread"))
        sender_to = (pid_t)syscall(SYS_gettid);
    /* Only the thread that asks takes it. */
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, sends, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    long before = now();
    int got = opens();
    long took = now() - before;
    pthread_join(thread, NULL);
    printf("%d, %d handled, %s\n", got, handled, took < 600 ? "at once" : "later");
}

/* The permissions of each part of the mapping that is there for a question alone. */
static void *reads_maps(void *arg)
{
    char line[512], permissions[8], name[256];
    unsigned long start, end, last = 0;

    (void)arg;
    pause_for(300);
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof(line), maps)) {
        *name = 0;
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %255s", &start, &end, permissions, name) < 3 ||
            permissions[3] != 's' || strncmp(name, "/dev/zero", 9) != 0)
            continue;
        snprintf(kinds + strlen(kinds), sizeof(kinds) - strlen(kinds), "%s%s%luK",
                 start == last ? " " : "; ", permissions, (end - start) / 1024);
        last = end;
    }
    if (maps)
        fclose(maps);
    return NULL;
}

static void mapping(void)
{
    int got = with_thread(reads_maps);

    printf("%d%s\n", got, kinds);
}

static void dumpable(void)
{
    int got = opens();

    printf("%d, %d\n", got, prctl(PR_GET_DUMPABLE));
}

static int ends(void *arg)
{
    (void)arg;
    return 7;
}

static void ended_child(void)
{
    static char stack[64 * 1024];
    pid_t own = clone(ends, stack + sizeof(stack), CLONE_VM | CLONE_VFORK, NULL);
    int got, status = 0;
    siginfo_t none;

    /* CLONE_VFORK returns when the child has given its memory back: it ends a moment later. */
    waitid(P_PID, (id_t)own, &none, WEXITED | WNOWAIT | __WCLONE);
    got = opens();

    printf("%d, %s\n", got,
           waitpid(own, &status, __WCLONE) == own && WEXITSTATUS(status) == 7 ? "its own" : "gone");
}

static void *waits_for_any(void *arg)
{
    int status;

    (void)arg;
    while (!stop) {
        if (waitpid(-1, &status, __WALL) <= 0)
            continue;
        seen++;
        bad += status != 0;
    }
    return NULL;
}

static void any_child(void)
{
    int got = with_thread(waits_for_any);

    printf("%d, %s%s\n", got, seen ? "seen" : "unseen", bad ? ", with a status" : "");
}

static void *opens_too(void *arg)
{
    (void)arg;
    pause_for(200);
    seen = opens();
    return NULL;
}

static void two(void)
{
    int got = with_thread(opens_too);

    printf("%d, %d\n", got, seen);
}

static void signal_keeper(int signal)
{
    char path[64], text[64] = "";

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
    FILE *children = fopen(path, "re");
    if (children && fgets(text, sizeof(text), children) && atoi(text) > 0)
        kill(atoi(text), signal);
    if (children)
        fclose(children);
}

static void *kills_keeper(void *arg)
{
    (void)arg;
    pause_for(700);
    signal_keeper(SIGKILL);
    return NULL;
}

static void counts_elsewhere(int signal)
{
    (void)signal;
    bad += syscall(SYS_getpid) != self;
}

static void *signals_keeper(void *arg)
{
    (void)arg;
    pause_for(200);
    signal_keeper(SIGUSR1);
    return NULL;
}

/* As one does that signals a whole tree of processes. */
static void keeper_signalled(void)
{
    struct sigaction action = {.sa_handler = counts_elsewhere};

    sigaction(SIGUSR1, &action, NULL);
    int got = with_thread(signals_keeper);
    printf("%d, %d times elsewhere\n", got, bad);
}

static void keeper_killed(void)
{
    long before = now();
    int got = with_thread(kills_keeper);

    printf("%d, %s\n", got, now() - before < 1500 ? "at once" : "later");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } behaviours[] = {
        {"mapping", mapping},
        {"dumpable", dumpable},
        {"ended-child", ended_child},
        {"any-child", any_child},
        {"keeper-killed", keeper_killed},
        {"signalled", keeper_signalled},
        {"two", two},
    };

    if (argc < 2)
        return 99;
    self = getpid();
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 5 && !strcmp(argv[1], "sent"))
        sent(argv + 2);
    for (size_t i = 0; i < sizeof(behaviours) / sizeof(*behaviours); i++)
        if (!strcmp(argv[1], behaviours[i].name))
            behaviours[i].run();
    return 0;
}
