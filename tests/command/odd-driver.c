/* SPDX-License-Identifier: Apache-2.0 */
/* A libcuda that does what ODD says when it is initialised, and counts in the file ODD_COUNT. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static int odd(const char *what)
{
    const char *is = getenv("ODD");

    return is && strcmp(is, what) == 0;
}

static void count(void)
{
    const char *file = getenv("ODD_COUNT");
    int fd = file ? open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

    if (fd >= 0) {
        if (write(fd, "x", 1) != 1)
            abort();
        close(fd);
    }
}

/* How many descriptors are open; the one that lists them is not counted. */
static int open_descriptors(void)
{
    char path[32], target[64];
    int found = 0;

    for (int fd = 0; fd < 4096; fd++) {
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        if (readlink(path, target, sizeof(target)) > 0)
            found++;
    }
    return found;
}

static int blocked_signals(void)
{
    sigset_t blocked;
    int found = 0;

    sigprocmask(SIG_SETMASK, NULL, &blocked);
    for (int i = 1; i < NSIG; i++)
        found += sigismember(&blocked, i) == 1;
    return found;
}

/* A process that holds every descriptor and never ends. */
static void leave_child(int session)
{
    if (fork() == 0) {
        if (session)
            setsid();
        for (;;)
            pause();
    }
}

EXPORT int cuDriverGetVersion(int *version);
EXPORT int cuInit(unsigned flags);
EXPORT int cuDeviceGetCount(int *count);
EXPORT int cuDeviceGet(int *device, int ordinal);
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device);
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device);
EXPORT int cuDevicePrimaryCtxRelease(int device);

int cuDriverGetVersion(int *version)
{
    *version = 12040;
    return 0;
}

int cuInit(unsigned flags)
{
    const char *is = getenv("ODD");

    (void)flags;
    count();
    puts("noise on stdout");
    fflush(stdout);
    fputs("noise on stderr\n", stderr);
    if (odd("hang"))
        for (;;)
            pause();
    if (odd("spin"))
        for (;;)
            ;
    if (odd("stop"))
        raise(SIGSTOP);
    if (odd("slow"))
        usleep(300000);
    if (odd("crash"))
        abort();
    if (odd("exit"))
        exit(7);
    if (odd("fork"))
        leave_child(0);
    if (odd("fork-session"))
        leave_child(1);
    if (odd("fork-crash")) {
        leave_child(0);
        raise(SIGKILL);
    }
    if (odd("atexit-hang"))
        atexit((void (*)(void))pause);
    if (odd("descriptors"))
        return 5000 + open_descriptors();
    if (odd("signals"))
        return 6000 + blocked_signals();
    if (odd("preload"))
        return getenv("LD_PRELOAD") || getenv("LD_AUDIT") ? 7001 : 7000;
    if (odd("kept"))
        return getenv("ODD_KEPT") ? 7001 : 7000;
    return is && *is >= '0' && *is <= '9' ? atoi(is) : 0;
}

int cuDeviceGetCount(int *found)
{
    *found = odd("no-devices") ? 0 : 2;
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = attribute == 75 ? (device ? 7 : 8) : device ? 5 : 9;
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = NULL;
    return odd("context-fails") && device ? 999 : 0;
}

int cuDevicePrimaryCtxRelease(int device)
{
    (void)device;
    return 0;
}
