/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libcuda, and an NVML, that does what ODD says when it is initialised, and counts in the file
 * ODD_COUNT. A copy named NAME goes by ODD_NAME where that is set.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static const char *word(void)
{
    char name[64];
    Dl_info info;

    if (dladdr((void *)word, &info)) {
        const char *slash = strrchr(info.dli_fname, '/');
        snprintf(name, sizeof(name), "ODD_%s", slash ? slash + 1 : info.dli_fname);
        if (getenv(name))
            return getenv(name);
    }
    return getenv("ODD");
}

static int odd(const char *what)
{
    const char *is = word();

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

/* What a driver does that is run by root: /dev may be a folder of the test. */
static int make_node(void)
{
    return mknod(getenv("ODD_NODE"), S_IFCHR | 0666, makedev(1, 3)) == 0 ? 7001
                                                                         : 7000 - (errno != EPERM);
}

static int core_limit(void)
{
    struct rlimit limit = {7, 7};

    getrlimit(RLIMIT_CORE, &limit);
    return (int)limit.rlim_cur;
}

/* How many variables there are of this value. */
static int having(const char *value)
{
    int found = 0;

    for (char **entry = environ; *entry; entry++) {
        const char *is = strchr(*entry, '=');
        found += is && strcmp(is + 1, value) == 0;
    }
    return found;
}

/* While this one is at it no other may be. */
static int be_alone(void)
{
    int fd = open(getenv("ODD_ALONE"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0)
        return 7000;
    usleep(100000);
    return 0;
}

/* What both have in common; what it returns is answered. */
static int misbehave(void)
{
    const char *is = word();

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
    if (odd("alone"))
        return be_alone();
    if (odd("crash"))
        abort();
    if (odd("exit"))
        exit(7);
    if (odd("exit-well"))
        exit(0);
    if (odd("fork"))
        leave_child(0);
    if (odd("fork-session"))
        leave_child(1);
    if (odd("fork-both"))
        fork();
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
    if (odd("tools"))
        return 8000 + having("a tool's");
    if (odd("node"))
        return make_node();
    if (odd("core"))
        return 7000 + core_limit();
    return is && *is >= '0' && *is <= '9' ? atoi(is) : 0;
}

EXPORT int cuDriverGetVersion(int *version);
EXPORT int cuInit(unsigned flags);
EXPORT int cuDeviceGetCount(int *count);
EXPORT int cuDeviceGet(int *device, int ordinal);
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device);
EXPORT int nvmlInit_v2(void);
EXPORT int nvmlShutdown(void);
EXPORT int nvmlDeviceGetCount_v2(unsigned *count);
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
EXPORT int nvmlDeviceGetName(void *device, char *name, unsigned size);
EXPORT int nvmlDeviceGetUUID(void *device, char *uuid, unsigned size);
EXPORT int nvmlDeviceGetBrand(void *device, int *brand);
EXPORT int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor);

int cuDriverGetVersion(int *version)
{
    *version = 12040;
    return 0;
}

int cuInit(unsigned flags)
{
    (void)flags;
    return misbehave();
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

int nvmlInit_v2(void)
{
    return misbehave();
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *found)
{
    *found = odd("many") ? 100 : odd("no-devices") ? 0 : 2;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    *device = (void *)(long)(index + 1);
    return odd("lost") && index ? 15 : 0;
}

int nvmlDeviceGetName(void *device, char *name, unsigned size)
{
    snprintf(name, size, "NVIDIA\nOdd %ld", (long)device);
    return 0;
}

int nvmlDeviceGetUUID(void *device, char *uuid, unsigned size)
{
    snprintf(uuid, size, "GPU-%ld", (long)device);
    return 0;
}

int nvmlDeviceGetBrand(void *device, int *brand)
{
    *brand = (long)device == 1 ? 5 : 0;
    return 0;
}

int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor)
{
    *major = 8;
    *minor = (long)device == 1 ? 9 : 0;
    return 0;
}
