/* SPDX-License-Identifier: Apache-2.0 */
/* A fake NVML: it works with the kernel driver of its own version and with no other. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    CUA_ML_UNINITIALIZED = 1,
    CUA_ML_INVALID_ARGUMENT = 2,
    CUA_ML_NOT_SUPPORTED = 3,
    CUA_ML_NOT_FOUND = 6,
    CUA_ML_DRIVER_NOT_LOADED = 9,
    CUA_ML_VERSION_MISMATCH = 18,
};

/* nvml.h: nvmlPciInfo_t */
struct cua_ml_pci {
    char bus_id_legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};

#define CUA_ML(name, ...)                                                                          \
    int name(__VA_ARGS__);                                                                         \
    CUA_FAKE_API int name(__VA_ARGS__)

static struct cua_fake_machine machine;
static bool ready;

static const struct cua_fake_gpu *gpu_of(const void *device)
{
    const struct cua_fake_gpu *gpu = device;

    return ready && gpu >= machine.gpu && gpu < machine.gpu + machine.n_gpus ? gpu : NULL;
}

static int copy(char *to, unsigned size, const char *text)
{
    snprintf(to, size, "%s", text);
    return 0;
}

CUA_ML(nvmlInit_v2, void)
{
    char version[64] = "";

    cua_fake_setting("version", version, sizeof version);
    cua_fake_read_machine(&machine, false);
    if (!machine.kmd[0])
        return CUA_ML_DRIVER_NOT_LOADED;
    if (strcmp(machine.kmd, version))
        return CUA_ML_VERSION_MISMATCH;
    ready = true;
    return 0;
}

CUA_ML(nvmlInitWithFlags, unsigned flags)
{
    (void)flags;
    return nvmlInit_v2();
}

CUA_ML(nvmlShutdown, void)
{
    ready = false;
    return 0;
}

CUA_ML(nvmlSystemGetDriverVersion, char *version, unsigned size)
{
    return ready ? copy(version, size, machine.kmd) : CUA_ML_UNINITIALIZED;
}

CUA_ML(nvmlSystemGetCudaDriverVersion_v2, int *version)
{
    *version = cua_fake_number("cuda", 0);
    return 0;
}

CUA_ML(nvmlDeviceGetCount_v2, unsigned *count)
{
    *count = (unsigned)machine.n_gpus;
    return ready ? 0 : CUA_ML_UNINITIALIZED;
}

CUA_ML(nvmlDeviceGetHandleByIndex_v2, unsigned index, void **device)
{
    if (!ready)
        return CUA_ML_UNINITIALIZED;
    if (index >= (unsigned)machine.n_gpus)
        return CUA_ML_INVALID_ARGUMENT;
    *device = &machine.gpu[index];
    return 0;
}

CUA_ML(nvmlDeviceGetHandleByUUID, const char *uuid, void **device)
{
    int i;

    for (i = 0; ready && i < machine.n_gpus; i++)
        if (!strcasecmp(machine.gpu[i].uuid, uuid)) {
            *device = &machine.gpu[i];
            return 0;
        }
    return ready ? CUA_ML_NOT_FOUND : CUA_ML_UNINITIALIZED;
}

CUA_ML(nvmlDeviceGetHandleByPciBusId_v2, const char *pci, void **device)
{
    int i;

    for (i = 0; ready && i < machine.n_gpus; i++)
        if (!strcasecmp(machine.gpu[i].pci, pci)) {
            *device = &machine.gpu[i];
            return 0;
        }
    return ready ? CUA_ML_NOT_FOUND : CUA_ML_UNINITIALIZED;
}

CUA_ML(nvmlDeviceGetBrand, void *device, int *brand)
{
    const struct cua_fake_gpu *gpu = gpu_of(device);

    if (gpu)
        *brand = gpu->brand;
    return gpu ? 0 : CUA_ML_INVALID_ARGUMENT;
}

CUA_ML(nvmlDeviceGetName, void *device, char *name, unsigned size)
{
    const struct cua_fake_gpu *gpu = gpu_of(device);

    return gpu ? copy(name, size, gpu->name) : CUA_ML_INVALID_ARGUMENT;
}

CUA_ML(nvmlDeviceGetUUID, void *device, char *uuid, unsigned size)
{
    const struct cua_fake_gpu *gpu = gpu_of(device);

    return gpu ? copy(uuid, size, gpu->uuid) : CUA_ML_INVALID_ARGUMENT;
}

CUA_ML(nvmlDeviceGetCudaComputeCapability, void *device, int *major, int *minor)
{
    const struct cua_fake_gpu *gpu = gpu_of(device);

    if (!gpu)
        return CUA_ML_INVALID_ARGUMENT;
    *major = gpu->major;
    *minor = gpu->minor;
    return 0;
}

CUA_ML(nvmlDeviceGetMinorNumber, void *device, unsigned *minor)
{
    const struct cua_fake_gpu *gpu = gpu_of(device);

    if (gpu)
        *minor = (unsigned)(gpu - machine.gpu);
    return gpu ? 0 : CUA_ML_INVALID_ARGUMENT;
}

CUA_ML(nvmlDeviceGetMigMode, void *device, unsigned *current, unsigned *pending)
{
    *current = *pending = 0;
    return gpu_of(device) ? CUA_ML_NOT_SUPPORTED : CUA_ML_INVALID_ARGUMENT;
}

CUA_ML(nvmlDeviceGetPciInfo_v3, void *device, struct cua_ml_pci *pci)
{
    const struct cua_fake_gpu *gpu = gpu_of(device);
    char *end;

    if (!gpu)
        return CUA_ML_INVALID_ARGUMENT;
    memset(pci, 0, sizeof *pci);
    snprintf(pci->bus_id_legacy, sizeof pci->bus_id_legacy, "%.15s", gpu->pci);
    snprintf(pci->bus_id, sizeof pci->bus_id, "0000%.27s", gpu->pci);
    pci->domain = (unsigned)strtoul(gpu->pci, &end, 16);
    pci->bus = *end ? (unsigned)strtoul(end + 1, &end, 16) : 0;
    pci->device = *end ? (unsigned)strtoul(end + 1, NULL, 16) : 0;
    return 0;
}

const char *nvmlErrorString(int code);

CUA_FAKE_API const char *nvmlErrorString(int code)
{
    return code == CUA_ML_VERSION_MISMATCH ? "Driver/library version mismatch"
           : code                          ? "Error"
                                           : "Success";
}
