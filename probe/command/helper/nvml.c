/* SPDX-License-Identifier: Apache-2.0 */
/* Asks NVML for the GPUs. The NVML must have the kernel driver's version: any other NVML refuses to
 * work with the kernel driver (error 18). Function names and struct layouts are those of nvml.h;
 * NVIDIA does not change them. An old NVML may lack any of the functions. Call cua_nvml_try only in
 * a child process of its own, because an NVML may hang or exit. */
#include "command/helper/nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct pci_info {
    char bus_legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};

struct nvml {
    int (*init)(void);
    int (*count)(unsigned *count);
    int (*handle)(unsigned index, void **device);
    int (*name)(void *device, char *name, unsigned size);
    int (*uuid)(void *device, char *uuid, unsigned size);
    int (*brand)(void *device, int *brand);
    int (*capability)(void *device, int *major, int *minor);
    int (*pci)(void *device, struct pci_info *info);
};

static bool load(struct nvml *nvml, const char *path)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    const struct {
        const char *name;
        void *to;
    } symbols[] = {
        {"nvmlInit_v2", &nvml->init},
        {"nvmlDeviceGetCount_v2", &nvml->count},
        {"nvmlDeviceGetHandleByIndex_v2", &nvml->handle},
        {"nvmlDeviceGetName", &nvml->name},
        {"nvmlDeviceGetUUID", &nvml->uuid},
        {"nvmlDeviceGetBrand", &nvml->brand},
        {"nvmlDeviceGetCudaComputeCapability", &nvml->capability},
        {"nvmlDeviceGetPciInfo_v3", &nvml->pci},
    };

    for (size_t i = 0; library && i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        void *symbol = dlsym(library, symbols[i].name);
        memcpy(symbols[i].to, &symbol, sizeof(symbol));
    }
    return nvml->init && nvml->count && nvml->handle;
}

static void ask(const struct nvml *nvml, void *device, struct cua_gpu *gpu)
{
    struct pci_info pci = {.bus_id = ""};
    char text[96] = "";
    int brand = 0, major = 0, minor = 0;

    *gpu = (struct cua_gpu){.brand = CUA_BRAND_UNKNOWN};
    if (nvml->name && nvml->name(device, text, sizeof(text)) == 0)
        snprintf(gpu->model, sizeof(gpu->model), "%.95s", text);
    text[0] = '\0';
    if (nvml->uuid && nvml->uuid(device, text, sizeof(text)) == 0 &&
        strlen(text) < sizeof(gpu->uuid))
        strcpy(gpu->uuid, text);
    if (nvml->brand && nvml->brand(device, &brand) == 0 && brand > 0)
        gpu->brand = brand;
    if (nvml->capability && nvml->capability(device, &major, &minor) == 0 && major > 0)
        gpu->cc = (unsigned)(major * 10 + minor);
    if (nvml->pci && nvml->pci(device, &pci) == 0) {
        snprintf(gpu->pci, sizeof(gpu->pci), "%04x:%02x:%02x.0", pci.domain & 0xffff,
                 pci.bus & 0xff, pci.device & 0x1f);
        gpu->device = pci.device_id >> 16;
    }
}

void cua_nvml_try(struct cua_trial *trial, const char *file,
                  void (*tell)(const struct cua_gpu *gpu))
{
    struct nvml nvml = {.init = NULL};
    struct cua_gpu gpu;
    unsigned count = 0;
    void *device = NULL;

    if (!load(&nvml, file)) {
        trial->how = CUA_TRIAL_UNLOADED;
        return;
    }
    trial->how = CUA_TRIAL_RAN;
    trial->step = CUA_STEP_NONE;
    trial->code = nvml.init();
    if (trial->code == 0)
        trial->code = nvml.count(&count);
    if (trial->code != 0)
        return;
    trial->devices = (int)count;
    for (unsigned i = 0; i < count && nvml.handle(i, &device) == 0; i++) {
        ask(&nvml, device, &gpu);
        tell(&gpu);
    }
}
