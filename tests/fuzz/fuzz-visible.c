/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA_VISIBLE_DEVICES; the first byte chooses the order and whether UUIDs are known. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "facts/visible.h"
#include "facts/facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cua_gpu gpus[3] = {
        {.model = "NVIDIA L20", .uuid = "GPU-aaaaaaaa-0000-0000-0000-000000000001"},
        {.model = "NVIDIA L20", .uuid = "GPU-aaaabbbb-0000-0000-0000-000000000002"},
        {.model = "NVIDIA L4", .uuid = "GPU-12345678-0000-0000-0000-000000000003"},
    };
    struct cua_facts facts = {.gpus = gpus, .gpu_count = 3, .gpus_known = true};

    if (size == 0)
        return 0;
    char *list = calloc(1, size);
    memcpy(list, bytes + 1, size - 1);
    if (bytes[0] & 1)
        gpus[1].uuid[0] = '\0';
    cua_visible_read(&facts, list, bytes[0] & 2);
    if (!facts.visible_note[0])
        abort();
    free(list);
    return 0;
}
