/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPUs by NVML of the native driver. The declarations are nvml.h's, whose names and layouts
 * NVIDIA keeps; each function may be missing in an old driver.
 */
#include "trial/nvml.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "machine/log.h"
#include "base/oldstat.h"

struct pci_info {
    char bus_legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};

struct nvml {
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *count);
    int (*handle)(unsigned index, void **device);
    int (*name)(void *device, char *name, unsigned size);
    int (*uuid)(void *device, char *uuid, unsigned size);
    int (*brand)(void *device, int *brand);
    int (*capability)(void *device, int *major, int *minor);
    int (*pci)(void *device, struct pci_info *info);
};

/* Any other NVML than the kernel driver's refuses to work (18), so it is looked for nowhere but
 * beside the native UMD. */
static bool find_library(const struct cua_facts *facts, char *path)
{
    char folder[PATH_MAX];
    struct stat st;

    const struct cua_umd *umd = facts->native;

    if (umd && facts->kmd.platform == CUA_PLATFORM_LINUX) {
        cua_umd_folder(umd, folder);
        if (snprintf(path, PATH_MAX, "%s/libnvidia-ml.so.%s", folder, umd->version.text) <
                PATH_MAX &&
            cua_stat(path, &st) == 0)
            return true;
        if (snprintf(path, PATH_MAX, "%s/libnvidia-ml.so.1", folder) < PATH_MAX &&
            cua_stat(path, &st) == 0)
            return true;
    }
    return false;
}

/* On glibc before 2.34 they lie in libdl, which the engine does not need: a program that opened
 * libcuda has it. In one that has not, NVML stays unasked. */
#pragma weak dlopen
#pragma weak dlsym

static bool load(struct nvml *nvml, const char *path)
{
    /* Never closed: the program will most likely open the same file, and what NVML has registered
     * with libc must not vanish under it. */
    void *library = dlopen && dlsym ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    const struct {
        const char *name;
        void *to;
    } symbols[] = {
        {"nvmlInit_v2", &nvml->init},
        {"nvmlShutdown", &nvml->shutdown},
        {"nvmlDeviceGetCount_v2", &nvml->count},
        {"nvmlDeviceGetHandleByIndex_v2", &nvml->handle},
        {"nvmlDeviceGetName", &nvml->name},
        {"nvmlDeviceGetUUID", &nvml->uuid},
        {"nvmlDeviceGetBrand", &nvml->brand},
        {"nvmlDeviceGetCudaComputeCapability", &nvml->capability},
        {"nvmlDeviceGetPciInfo_v3", &nvml->pci},
    };

    if (!library)
        return false;
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        void *symbol = dlsym(library, symbols[i].name);
        memcpy(symbols[i].to, &symbol, sizeof(symbol));
    }
    return nvml->init && nvml->shutdown && nvml->count && nvml->handle;
}

static void ask(const struct nvml *nvml, void *device, struct cua_gpu *gpu)
{
    struct pci_info pci = {.bus_id = ""};
    char text[96] = "";
    int brand = 0, major = 0, minor = 0;

    *gpu = (struct cua_gpu){.brand = CUA_BRAND_UNKNOWN, .visible = true, .source = "nvml"};
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

static struct cua_gpu *find(struct cua_facts *facts, const struct cua_gpu *gpu)
{
    for (size_t i = 0; i < facts->gpu_count; i++) {
        struct cua_gpu *known = &facts->gpus[i];
        if ((gpu->pci[0] && strcasecmp(known->pci, gpu->pci) == 0) ||
            (gpu->uuid[0] && strcasecmp(known->uuid, gpu->uuid) == 0))
            return known;
    }
    return NULL;
}

/* NVML's word counts before the tables'; what it does not say stays as it was. */
static void merge(struct cua_gpu *known, const struct cua_gpu *gpu)
{
    if (!known->model[0])
        memcpy(known->model, gpu->model, sizeof(known->model));
    if (!known->uuid[0])
        memcpy(known->uuid, gpu->uuid, sizeof(known->uuid));
    if (!known->pci[0])
        memcpy(known->pci, gpu->pci, sizeof(known->pci));
    if (!known->device)
        known->device = gpu->device;
    if (gpu->brand != CUA_BRAND_UNKNOWN)
        known->brand = gpu->brand;
    if (gpu->cc)
        known->cc = gpu->cc;
    if (gpu->brand != CUA_BRAND_UNKNOWN || gpu->cc)
        memcpy(known->source, gpu->source, sizeof(known->source));
}

static bool append(struct cua_facts *facts, const struct cua_gpu *gpu)
{
    struct cua_gpu *grown = realloc(facts->gpus, (facts->gpu_count + 1) * sizeof(*grown));

    if (!grown)
        return false;
    facts->gpus = grown;
    facts->gpus[facts->gpu_count++] = *gpu;
    return true;
}

static void ask_all(struct cua_facts *facts, const struct nvml *nvml)
{
    unsigned count = 0;
    bool counted = nvml->count(&count) == 0;
    bool complete = counted && count > 0;

    for (unsigned i = 0; complete && i < count; i++) {
        struct cua_gpu gpu;
        void *device = NULL;
        if (nvml->handle(i, &device) != 0) {
            complete = false;
            break;
        }
        ask(nvml, device, &gpu);
        struct cua_gpu *known = find(facts, &gpu);
        if (known)
            merge(known, &gpu);
        else
            complete = append(facts, &gpu);
    }
    facts->gpus_known |= complete;
    facts->gpus_none = counted && facts->gpu_count == 0;
}

void cua_nvml_gather(struct cua_facts *facts, const struct cua_subject *subject)
{
    struct nvml nvml = {0};
    char path[PATH_MAX];

    if (subject->whatif || subject->pid || !find_library(facts, path))
        return;
    if (!load(&nvml, path)) {
        cua_log(CUA_LOG_DEBUG, "nvml", "%s cannot be loaded", path);
        return;
    }
    int rc = nvml.init();
    if (rc != 0) {
        cua_log(CUA_LOG_DEBUG, "nvml", "%s: nvmlInit_v2 answers %d", path, rc);
        return;
    }
    ask_all(facts, &nvml);
    nvml.shutdown();
}
