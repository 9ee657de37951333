/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a trial (see helper.h) that runs in the child process: loads a driver or NVML, calls
 * its functions, and reports each step and the result to the parent. */
#include "command/helper/helper.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "command/cuda_error.h"
#include "trial/trial.h"
#include "trial/child.h"
#include "command/helper/kernel.h"
#include "command/helper/nvml.h"
#include "trial/report.h"

/* From cuda.h: CUdevice_attribute. */
#define CUA_ATTRIBUTE_CC_MAJOR 75
#define CUA_ATTRIBUTE_CC_MINOR 76

#define CUA_ERRORS 134 /* one more than EHWPOISON, the last of Linux's errno values */

/* The functions of cuda.h that a trial calls, except those for running a kernel (kernel.c). Every
 * driver since CUDA 7.0 exports them. */
struct driver {
    void *handle;
    int (*get_version)(int *version);
    int (*init)(unsigned flags);
    int (*count)(int *count);
    int (*device)(int *device, int ordinal);
    int (*attribute)(int *value, int attribute, int device);
};

static void put(int out, const char *text, size_t length)
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

/* Sets trial->step and reports it, so that the parent knows where a trial hung or died. */
static void at(struct cua_trial *trial, enum cua_trial_step step, int out)
{
    char line[32];
    int n = snprintf(line, sizeof(line), "step %s\n", cua_trial_step_word(step));

    trial->step = step;
    put(out, line, (size_t)n);
}

static void *symbol(void *handle, const char *name, struct cua_trial *trial)
{
    void *address = dlsym(handle, name);

    if (!address && !trial->trouble[0])
        snprintf(trial->trouble, sizeof(trial->trouble), "it has no %s", name);
    return address;
}

/* Whether dlopen failed because a system call failed, and not because of the file. ld.so's message
 * `why` then contains one of `words`, or ends with the text of an errno value. If memory is short,
 * there may be no message, or one that falsely calls the file missing. So access() checks whether
 * the file exists. */
static bool is_systems(const char *why, const char *file)
{
    static const char *const words[] = {"failed to map", "zero-fill", "memory", "cannot create"};
    bool is = !why;

    for (size_t i = 0; !is && i < sizeof(words) / sizeof(*words); i++)
        is = strstr(why, words[i]);
    for (int error = 1; !is && error < CUA_ERRORS; error++)
        is = cua_ends(why, strerror(error));
    return is && access(file, F_OK) == 0;
}

static bool open_driver(struct driver *driver, const char *file, struct cua_trial *trial, int out)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    if (!handle) {
        const char *why = dlerror();
        snprintf(trial->trouble, sizeof(trial->trouble), "%s", why ? why : "cannot be loaded");
        trial->how = CUA_TRIAL_UNLOADED;
        /* Report separately that a library which the driver needs is missing: the program may know
         * where to find it. */
        if (why && !cua_starts(why, file) && strstr(why, "cannot open shared object file"))
            at(trial, CUA_STEP_NEEDS, out);
        else if (is_systems(why, file))
            trial->how = CUA_TRIAL_BROKEN;
        return false;
    }
    driver->handle = handle;
    *(void **)&driver->get_version = symbol(handle, "cuDriverGetVersion", trial);
    *(void **)&driver->init = symbol(handle, "cuInit", trial);
    *(void **)&driver->count = symbol(handle, "cuDeviceGetCount", trial);
    *(void **)&driver->device = symbol(handle, "cuDeviceGet", trial);
    *(void **)&driver->attribute = symbol(handle, "cuDeviceGetAttribute", trial);
    trial->how = CUA_TRIAL_UNLOADED;
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

/* Asks for the driver's version, calls cuInit, and asks for the capability of each GPU. Returns 0,
 * or the code of the first call that fails, with trial->step set to its step. A failure to get the
 * version does not count. */
static int try_all(const struct driver *driver, struct cua_trial *trial, int out)
{
    int device = 0;

    /* cuDriverGetVersion also works before cuInit, and if cuInit fails. */
    if (driver->get_version(&trial->driver) != 0)
        trial->driver = 0;
    at(trial, CUA_STEP_INIT, out);
    int code = driver->init(0);
    if (code)
        return code;
    at(trial, CUA_STEP_DEVICES, out);
    code = driver->count(&trial->devices);
    for (int i = 0; code == 0 && i < trial->devices; i++) {
        at(trial, CUA_STEP_DEVICES, out);
        code = driver->device(&device, i);
        if (code)
            return code;
        at(trial, CUA_STEP_CC, out);
        code = ask_cc(driver, device, trial);
    }
    if (code == 0)
        trial->step = CUA_STEP_NONE;
    return code;
}

/* Resets the actions of SIGCHLD and SIGPIPE: a signal that the program ignores is still ignored
 * after execve. Unblocks all signals, which cua_child_run leaves blocked. */
static void reset_signals(void)
{
    sigset_t none;

    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Keeps the driver from leaving files behind:
 * - Device nodes. As root a driver creates missing ones, even on a machine without NVIDIA, and the
 *   next process would take them for real ones. So drop the capability to create them. The driver's
 *   answer stays the same (100, measured with drivers 418 to 555).
 * - Core files. The limit is 1 and not 0, because 1 also keeps the kernel from piping the core to a
 *   program. */
static void leave_no_trace(void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];
    const struct rlimit one = {1, 1};

    prctl(PR_CAPBSET_DROP, CAP_MKNOD, 0, 0, 0);
    if (syscall(SYS_capget, &head, data) == 0) {
        data[0].effective &= ~(1U << CAP_MKNOD);
        data[0].permitted &= ~(1U << CAP_MKNOD);
        data[0].inheritable &= ~(1U << CAP_MKNOD);
        syscall(SYS_capset, &head, data);
    }
    setrlimit(RLIMIT_CORE, &one);
}

static int report_to;

static void tell_step(struct cua_trial *trial, enum cua_trial_step step)
{
    at(trial, step, report_to);
}

static void tell_gpu(const struct cua_gpu *gpu)
{
    char line[256];

    put(report_to, line, cua_trial_print_gpu(gpu, line, sizeof(line)));
}

int cua_trial_helper(const char *file, bool nvml, bool kernel, int out)
{
    struct driver driver = {.init = NULL};
    struct cua_trial trial;
    char report[1024];

    reset_signals();
    leave_no_trace();
    fcntl(out, F_SETFD, FD_CLOEXEC);
    cua_trial_clear(&trial);
    report_to = out;
    at(&trial, CUA_STEP_LOAD, out);
    if (nvml) {
        cua_nvml_try(&trial, file, tell_gpu);
    } else if (open_driver(&driver, file, &trial, out)) {
        trial.code = try_all(&driver, &trial, out);
        trial.how = CUA_TRIAL_RAN;
        if (kernel && trial.code == 0)
            cua_kernel_try(&trial, driver.handle, tell_step);
        snprintf(trial.name, sizeof(trial.name), "%s", cua_cuda_error_name(trial.code));
    }
    size_t n = cua_trial_print(&trial, report, sizeof(report) - sizeof(CUA_CHILD_END));
    memcpy(report + n, CUA_CHILD_END, sizeof(CUA_CHILD_END));
    put(out, report, n + sizeof(CUA_CHILD_END) - 1);
    return trial.how == CUA_TRIAL_RAN ? 0 : 1;
}
