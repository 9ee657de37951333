/* SPDX-License-Identifier: Apache-2.0 */
/* gpu-list: name, brand (nvmlBrandType_t) and compute capability of each GPU, as NVML reports them.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *find(void *handle, const char *name)
{
    void *address = dlsym(handle, name);
    if (!address)
        fprintf(stderr, "gpu-list: %s: not found\n", name);
    return address;
}

int main(void)
{
    void *handle = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    int (*init)(void), (*count)(unsigned *), (*get)(unsigned, void **), (*brand)(void *, int *),
        (*name)(void *, char *, unsigned), (*capability)(void *, int *, int *),
        (*version)(char *, unsigned);
    unsigned gpus = 0;
    char text[96] = "?";

    if (!handle) {
        printf("nvml=none # %s\n", dlerror());
        return 1;
    }
    const struct {
        const char *symbol;
        void *slot;
    } table[] = {
        {"nvmlInit_v2", &init},
        {"nvmlDeviceGetCount_v2", &count},
        {"nvmlDeviceGetHandleByIndex_v2", &get},
        {"nvmlDeviceGetBrand", &brand},
        {"nvmlDeviceGetName", &name},
        {"nvmlDeviceGetCudaComputeCapability", &capability},
        {"nvmlSystemGetDriverVersion", &version},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        void *address = find(handle, table[i].symbol);
        if (!address)
            return 1;
        memcpy(table[i].slot, &address, sizeof(address));
    }
    int code = init();
    if (code == 0) {
        version(text, sizeof(text));
        count(&gpus);
    }
    printf("nvml=%d driver=%s gpus=%u\n", code, text, gpus);
    for (unsigned i = 0; i < gpus; i++) {
        void *gpu;
        int b = -1, major = 0, minor = 0;
        if (get(i, &gpu) != 0)
            continue;
        name(gpu, text, sizeof(text));
        brand(gpu, &b);
        capability(gpu, &major, &minor);
        printf("gpu=%u name=\"%s\" brand=%d cc=%d.%d\n", i, text, b, major, minor);
    }
    return code == 0 ? 0 : 1;
}
