/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One library for libcuda's and for NVML's names, which meters what the tenant of a GPU uses: it
 * calls the real ones, whose files end in ".real".
 */
#include "../fixtures/programs/floor.h"

#include <dlfcn.h>
#include <stddef.h>

#define API __attribute__((visibility("default")))

API const char cua_quota_here[] = "/proc/driver/nvidia/version";

static void *real(const char *library, const char *symbol)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

    return handle ? dlsym(handle, symbol) : NULL;
}

#define FORWARD(library, missing, name, types, ...)                                                \
    int name types;                                                                                \
    API int name types                                                                             \
    {                                                                                              \
        int(*f) types;                                                                             \
        *(void **)&f = real(library, #name);                                                       \
        return f ? f(__VA_ARGS__) : missing;                                                       \
    }

FORWARD("/usr/local/nvidia/real/libcuda.so.real", 999, cuInit, (unsigned flags), flags)
FORWARD("/usr/local/nvidia/real/libcuda.so.real", 999, cuDriverGetVersion, (int *version), version)
FORWARD("/usr/local/nvidia/real/libcuda.so.real", 999, cuDevicePrimaryCtxRetain,
        (void **context, int device), context, device)
FORWARD("/usr/local/nvidia/real/libcuda.so.real", 999, cuGreenCtxCreate,
        (void **context, void *desc, int device, unsigned flags), context, desc, device, flags)
FORWARD("/usr/local/nvidia/real/libnvidia-ml.so.real", 12, nvmlInit_v2, (void))
