/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program [FILE [REMOVED]]: opens libcuda.so.1 or the file, a plugin that needs it; built with
 * LINKED it is linked with it. Prints what cuInit answers, and anything that is not as it was
 * before the request. A second request gets what the first one got.
 * ALARMS=plain or restart: meanwhile an alarm comes every 100 us, whose handler does not restart
 * calls, or does.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LINKED
int cuInit(unsigned flags);
#endif

static int init_of(void *handle)
{
    const void *address;
    int (*plugin)(const void **), (*init)(unsigned);

    if (!handle)
        return -1;
    *(void **)&plugin = dlsym(handle, "plugin_init");
    if (plugin)
        return plugin(&address);
    *(void **)&init = dlsym(handle, "cuInit");
    return init ? init(0) : -2;
}

static volatile sig_atomic_t alarms;

static void on_alarm(int signal)
{
    (void)signal;
    alarms++;
}

static void alarm_every(int microseconds)
{
    const char *how = getenv("ALARMS");
    const struct itimerval often = {{0, microseconds}, {0, microseconds}};
    struct sigaction action = {.sa_handler = on_alarm};

    if (!how)
        return;
    action.sa_flags = strcmp(how, "restart") ? 0 : SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    if (!microseconds && !alarms)
        printf("no alarm came, ");
}

/* The lowest one that is free. */
static int free_descriptor(void)
{
    int fd = dup(STDOUT_FILENO);

    close(fd);
    return fd;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "libcuda.so.1";
    sigset_t before, after;
    int free_before = free_descriptor(), cancel, code, then;
    void *handle;

    sigemptyset(&before);
    sigaddset(&before, SIGUSR1);
    sigprocmask(SIG_SETMASK, &before, NULL);
    alarm_every(100);
    handle = dlopen(name, RTLD_NOW);
#ifdef LINKED
    printf("linked: %d, ", cuInit(0));
#endif
    code = init_of(handle);
    alarm_every(0);
    getppid(); /* inject knows by it that the request is over */
    printf("cuInit %d", code);
    if (argc > 2) {
        if (handle)
            dlclose(handle);
        unlink(argv[2]);
    }
    then = init_of(dlopen(name, RTLD_NOW));
    if (then != code)
        printf(", then %d", then);
    sigemptyset(&after);
    sigprocmask(SIG_SETMASK, NULL, &after);
    if (sigismember(&after, SIGUSR1) != 1 || sigismember(&after, SIGTERM) != 0)
        printf(", other signals are blocked");
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel);
    if (cancel != PTHREAD_CANCEL_ENABLE)
        printf(", cancellation is off");
    if (free_descriptor() != free_before)
        printf(", descriptor %d is in use", free_before);
    if (waitpid(-1, NULL, WNOHANG | __WALL) != -1 || errno != ECHILD)
        printf(", a child is left");
    printf("\n");
    return 0;
}
