/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/driver/nvidia/gpus/X/information, and what the tables make of the model in it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "facts/gpu.h"
#include "facts/facts.h"
#include "tables/tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cua_gpu gpu = {.brand = CUA_BRAND_UNKNOWN, .minor = -1};
    char *text = calloc(1, size + 1);

    memcpy(text, bytes, size);
    cua_gpu_read(&gpu, text);
    if (gpu.minor < -1 || gpu.minor > 999 || strlen(gpu.model) >= sizeof(gpu.model) ||
        strlen(gpu.uuid) >= sizeof(gpu.uuid) || strlen(gpu.pci) >= sizeof(gpu.pci))
        abort();
    cua_gpu_identify(&gpu, NULL);
    if (gpu.brand < CUA_BRAND_UNKNOWN || gpu.brand > 16 || gpu.cc > 200)
        abort();
    free(text);
    return 0;
}
