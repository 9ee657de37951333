/* SPDX-License-Identifier: Apache-2.0 */
/* The child's side of a trial. */
#include "trial/helper.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trial/trial.h"
#include "trial/child.h"
#include "trial/report.h"

/* cuda.h: CUdevice_attribute */
#define CUA_ATTRIBUTE_CC_MAJOR 75
#define CUA_ATTRIBUTE_CC_MINOR 76

/* cuda.h's functions, as every driver since CUDA 7.0 exports them. */
struct driver {
    int (*get_version)(int *version);
    int (*init)(unsigned flags);
    int (*count)(int *count);
    int (*device)(int *device, int ordinal);
    int (*attribute)(int *value, int attribute, int device);
    int (*retain)(void **context, int device);
    int (*release)(int device);
};

static void say(int out, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(out, text, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        text += n;
        length -= (size_t)n;
    }
}

/* So that a trial that hangs or dies tells where. */
static void at(struct cua_trial *trial, const char *step, int out)
{
    char line[sizeof(trial->step) + 8];
    int n = snprintf(line, sizeof(line), "step %s\n", step);

    snprintf(trial->step, sizeof(trial->step), "%s", step);
    say(out, line, (size_t)n);
}

static void *symbol(void *handle, const char *name, struct cua_trial *trial)
{
    void *address = dlsym(handle, name);

    if (!address && !trial->trouble[0])
        snprintf(trial->trouble, sizeof(trial->trouble), "it has no %s", name);
    return address;
}

static bool open_driver(struct driver *driver, const char *file, struct cua_trial *trial)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    if (!handle) {
        const char *why = dlerror();
        snprintf(trial->trouble, sizeof(trial->trouble), "%s", why ? why : "cannot be loaded");
        return false;
    }
    *(void **)&driver->get_version = symbol(handle, "cuDriverGetVersion", trial);
    *(void **)&driver->init = symbol(handle, "cuInit", trial);
    *(void **)&driver->count = symbol(handle, "cuDeviceGetCount", trial);
    *(void **)&driver->device = symbol(handle, "cuDeviceGet", trial);
    *(void **)&driver->attribute = symbol(handle, "cuDeviceGetAttribute", trial);
    *(void **)&driver->retain = symbol(handle, "cuDevicePrimaryCtxRetain", trial);
    *(void **)&driver->release = symbol(handle, "cuDevicePrimaryCtxRelease", trial);
    return !trial->trouble[0];
}

static int ask_cc(const struct driver *driver, int device, struct cua_trial *trial)
{
    int major = 0, minor = 0;
    int code = driver->attribute(&major, CUA_ATTRIBUTE_CC_MAJOR, device);

    if (code == 0)
        code = driver->attribute(&minor, CUA_ATTRIBUTE_CC_MINOR, device);
    if (code == 0 && major > 0 && minor >= 0) {
        unsigned cc = (unsigned)major * 10 + (unsigned)minor;
        if (trial->lowest_cc == 0 || cc < trial->lowest_cc)
            trial->lowest_cc = cc;
    }
    return code;
}

static int try_context(const struct driver *driver, int device)
{
    void *context = NULL;
    int code = driver->retain(&context, device);

    return code ? code : driver->release(device);
}

/* The code of the first step that fails; trial->step names it. */
static int try_all(const struct driver *driver, bool contexts, struct cua_trial *trial, int out)
{
    int device = 0;

    /* Works before cuInit, and where it fails. */
    if (driver->get_version(&trial->driver) != 0)
        trial->driver = 0;
    at(trial, "cuInit", out);
    int code = driver->init(0);
    if (code)
        return code;
    at(trial, "devices", out);
    code = driver->count(&trial->devices);
    for (int i = 0; code == 0 && i < trial->devices; i++) {
        at(trial, "devices", out);
        code = driver->device(&device, i);
        if (code)
            return code;
        at(trial, "cc", out);
        code = ask_cc(driver, device, trial);
        if (code || !contexts)
            continue;
        at(trial, "context", out);
        code = try_context(driver, device);
    }
    if (code == 0)
        trial->step[0] = '\0';
    return code;
}

/* cua_child_run leaves all signals blocked, and what the program ignores is ignored here. */
static void reset_signals(void)
{
    sigset_t none;

    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

int cua_trial_helper(const char *file, bool contexts, int out)
{
    struct driver driver = {.init = NULL};
    struct cua_trial trial;
    char report[CUA_CHILD_REPORT / 2];

    reset_signals();
    fcntl(out, F_SETFD, FD_CLOEXEC);
    cua_trial_clear(&trial);
    at(&trial, "dlopen", out);
    if (open_driver(&driver, file, &trial)) {
        trial.code = try_all(&driver, contexts, &trial, out);
        trial.how = CUA_TRIAL_RAN;
    }
    size_t n = cua_trial_print(&trial, report, sizeof(report) - sizeof(CUA_CHILD_END));
    memcpy(report + n, CUA_CHILD_END, sizeof(CUA_CHILD_END));
    say(out, report, n + sizeof(CUA_CHILD_END) - 1);
    return trial.how == CUA_TRIAL_RAN ? 0 : 1;
}
