/* SPDX-License-Identifier: Apache-2.0 */
/* A table in the place of a built-in one, and what is asked of it; the first byte chooses which. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tables/tables.h"
#include "base/version.h"
#include "tables/read.h"

#define RUN(...) (&(struct cua_row_measured){__VA_ARGS__})

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void ask(const struct cua_data *data)
{
    static const unsigned branches[] = {0, 390, 535, 580, 700, 99999};
    struct cua_version version = {.part = {535, 4, 0}, .text = "535.4.0"};

    for (size_t i = 0; i < sizeof(branches) / sizeof(*branches); i++) {
        version.part[0] = branches[i];
        cua_data_umd_cuda(data, &version);
        cua_data_forward(data, branches[i]);
        cua_data_ran(data, CUA_ON_BRANCH, RUN(.umd = branches[i], .kmd = 535));
        cua_data_ran(data, CUA_ON_BRAND, RUN(.umd = branches[i], .kmd = 535, .brand = 5));
        cua_data_ran(data, CUA_ON_CC, RUN(.umd = branches[i], .cc = 89));
        cua_data_brands(data, branches[i], 535);
        cua_data_min_cc(data, branches[i]);
        cua_data_gpu_by_pci(data, branches[i]);
    }
    cua_data_newest_branch(data);
    cua_data_toolkit(data, 12040);
    cua_data_tegra_cuda(data, &version);
    cua_data_gpu_by_model(data, "NVIDIA A100-SXM4-40GB");
}

static void drop(const void *now, const void *builtin)
{
    if (now != builtin)
        free((void *)now);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct cua_data *old = &cua_data_builtin;
    struct cua_data data = cua_data_builtin;
    size_t files = 0;

    while (cua_data_file(files))
        files++;
    if (size == 0)
        return 0;
    char *text = calloc(1, size);
    memcpy(text, bytes + 1, size - 1);
    if (cua_data_replace(&data, cua_data_file(bytes[0] % files), text) == (data.trouble[0] != '\0'))
        abort();
    ask(&data);
    drop(data.umd, old->umd);
    drop(data.forward, old->forward);
    drop(data.brands, old->brands);
    drop(data.cc, old->cc);
    drop(data.measured, old->measured);
    drop(data.toolkit, old->toolkit);
    drop(data.tegra, old->tegra);
    drop(data.model, old->model);
    drop(data.pci, old->pci);
    free(text);
    return 0;
}
