/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fake libcuda. cuInit judges by the rules that real ones were seen to follow: branch and
 * version first (803), brand second (804), compute capability not at all, though a context of
 * a GPU that the branch has dropped fails later (999).
 */
#include "../programs/floor.h"
#include "fake.h"

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "umd.h"

static struct cua_fake_machine machine;
static int init_answer = CUA_NOT_INITIALIZED;

static bool dropped(const struct cua_fake_gpu *gpu, int branch)
{
    return branch >= 590 && gpu->major * 10 + gpu->minor < 75;
}

static int judge(void)
{
    char version[64] = "";
    int i, order, kmd;

    cua_fake_setting("version", version, sizeof version);
    if (!machine.kmd[0])
        return CUA_NO_DEVICE;
    order = cua_fake_compare(version, machine.kmd);
    kmd = cua_fake_branch(machine.kmd);
    if (order < 0 || (order > 0 && !cua_fake_listed("branches", kmd)))
        return CUA_MISMATCH;
    for (i = 0; order > 0 && i < machine.n_gpus; i++)
        if (!cua_fake_listed("devices", machine.gpu[i].brand))
            return CUA_NOT_ON_DEVICE;
    /* A kernel driver of such a branch does not even show the GPU. */
    for (i = 0; i < machine.n_gpus; i++)
        if (!dropped(&machine.gpu[i], kmd))
            return 0;
    return CUA_NO_DEVICE;
}

static void fork_and_wait(void)
{
    pid_t child = fork();

    if (!child)
        _exit(0);
    if (child > 0)
        waitpid(child, NULL, 0);
}

static int do_init(void)
{
    const char *forced = getenv("FAKE_CUINIT");
    int fixed = cua_fake_number("cuinit", -1);

    if (cua_fake_number("noise", 0))
        puts("a driver that talks on stdout");
    if (cua_fake_number("fork", 0))
        fork_and_wait();
    if (cua_fake_number("crash", 0))
        abort();
    while (cua_fake_number("hang", 0))
        pause();
    cua_fake_read_machine(&machine, true);
    if (forced && *forced)
        return atoi(forced);
    return fixed >= 0 ? fixed : judge();
}

/* Sticky, as the real one: a process that failed once gets the same answer for ever. Threads that
 * come at once wait for the first. By a bit of its own: libpthread would be one more need. */
CUA_FAKE_API int cuInit(unsigned flags)
{
    static int busy;

    if (flags)
        return CUA_INVALID_VALUE;
    while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        sched_yield();
    if (init_answer == CUA_NOT_INITIALIZED)
        init_answer = do_init();
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
    return init_answer;
}

CUA_FAKE_API int cuDriverGetVersion(int *version)
{
    *version = cua_fake_number("cuda", 0);
    return 0;
}

/* Every call starts here. */
static int ready(int device)
{
    if (init_answer)
        return init_answer == CUA_NOT_INITIALIZED ? CUA_NOT_INITIALIZED : init_answer;
    return device >= 0 && device < machine.n_gpus ? 0 : CUA_INVALID_DEVICE;
}

CUA_FAKE_API int cuDeviceGetCount(int *count)
{
    int answer = ready(0);

    *count = answer ? 0 : machine.n_gpus;
    return answer;
}

CUA_FAKE_API int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return ready(ordinal);
}

CUA_FAKE_API int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    int answer = ready(device);

    if (answer)
        return answer;
    *value = 0;
    if (attribute == CUA_ATTRIBUTE_CC_MAJOR)
        *value = machine.gpu[device].major;
    else if (attribute == CUA_ATTRIBUTE_CC_MINOR)
        *value = machine.gpu[device].minor;
    return 0;
}

CUA_FAKE_API int cuDeviceGetName(char *name, int size, int device)
{
    int answer = ready(device);

    if (!answer)
        snprintf(name, (size_t)size, "%s", machine.gpu[device].name);
    return answer;
}

CUA_FAKE_API int cuDeviceGetUuid(char *bytes, int device)
{
    int answer = ready(device), n = 0;
    const char *c;

    if (answer)
        return answer;
    memset(bytes, 0, 16);
    for (c = machine.gpu[device].uuid + 4; *c && n < 32; c++)
        if (*c != '-') {
            int digit = *c <= '9' ? *c - '0' : (*c | 32) - 'a' + 10;
            bytes[n / 2] = (char)(bytes[n / 2] << 4 | digit);
            n++;
        }
    return 0;
}

CUA_FAKE_API int cuDeviceGetUuid_v2(char *bytes, int device)
{
    return cuDeviceGetUuid(bytes, device);
}

static int context(void **out, int device)
{
    char version[64] = "";
    int answer = ready(device);

    if (answer)
        return answer;
    cua_fake_setting("version", version, sizeof version);
    if (dropped(&machine.gpu[device], cua_fake_branch(version)))
        return CUA_UNKNOWN;
    *out = &machine.gpu[device];
    return 0;
}

CUA_FAKE_API int cuDevicePrimaryCtxRetain(void **out, int device)
{
    return context(out, device);
}

CUA_FAKE_API int cuDevicePrimaryCtxRelease(int device)
{
    return ready(device);
}

CUA_FAKE_API int cuDevicePrimaryCtxRelease_v2(int device)
{
    return ready(device);
}

CUA_FAKE_API int cuCtxCreate_v2(void **out, unsigned flags, int device)
{
    (void)flags;
    return context(out, device);
}

CUA_FAKE_API int cuGetErrorName(int code, const char **name)
{
    *name = code == CUA_MISMATCH        ? "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"
            : code == CUA_NOT_ON_DEVICE ? "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"
            : code == CUA_NO_DEVICE     ? "CUDA_ERROR_NO_DEVICE"
            : code                      ? "CUDA_ERROR_UNKNOWN"
                                        : "CUDA_SUCCESS";
    return 0;
}

CUA_FAKE_API int cuGetErrorString(int code, const char **text)
{
    return cuGetErrorName(code, text);
}

/* Names with a suffix first: callers ask without it and mean the newest. */
CUA_FAKE_API int cuGetProcAddress_v2(const char *symbol, void **out, int version,
                                     unsigned long long flags, int *found)
{
    char name[128];
    Dl_info info;
    void *self;

    (void)version;
    (void)flags;
    *out = NULL;
    if (!dladdr((void *)cuInit, &info) || !(self = dlopen(info.dli_fname, RTLD_LAZY)))
        return CUA_UNKNOWN;
    snprintf(name, sizeof name, "%s_v2", symbol);
    *out = dlsym(self, name);
    if (!*out)
        *out = dlsym(self, symbol);
    if (found)
        *found = *out ? 0 : 1;
    return *out ? 0 : CUA_NOT_FOUND;
}

CUA_FAKE_API int cuGetProcAddress(const char *symbol, void **out, int version,
                                  unsigned long long flags)
{
    return cuGetProcAddress_v2(symbol, out, version, flags, NULL);
}

/* Companions are opened when first needed, by SONAME, as real drivers do. */
CUA_FAKE_API const char *fake_companion_path(const char *name)
{
    static char path[4096];
    void *handle = dlopen(name, RTLD_LAZY), *symbol;
    Dl_info info;

    path[0] = 0;
    symbol = handle ? dlsym(handle, "fake_companion_version") : NULL;
    if (!symbol || !dladdr(symbol, &info))
        return NULL;
    snprintf(path, sizeof path, "%s", info.dli_fname);
    return path;
}

CUA_FAKE_API const char *fake_version(void)
{
    static char version[64];

    cua_fake_setting("version", version, sizeof version);
    return version;
}

CUA_FAKE_API int cuModuleLoadData(void **module, const void *image)
{
    (void)image;
    *module = NULL;
    if (!fake_companion_path("libnvidia-ptxjitcompiler.so.1") ||
        !fake_companion_path("libnvidia-nvvm.so.4"))
        return CUA_JIT_NOT_FOUND;
    return 0;
}
