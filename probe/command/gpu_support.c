/* SPDX-License-Identifier: Apache-2.0 */
#include "command/gpu_support.h"

#include <stdio.h>

void cua_gpu_refusal(char *text, size_t size, const struct cua_data *data, unsigned cc,
                     unsigned kmd, unsigned umd)
{
    const unsigned oldest = kmd && (!umd || kmd < umd) ? kmd : umd;
    const unsigned newest = kmd > umd ? kmd : umd, first = cua_data_first_branch(data, cc);
    unsigned last = 0;

    text[0] = '\0';
    if (!cc || !oldest || cua_gpu_is_tegra(cc))
        return;
    for (size_t i = 0; i < data->umds; i++)
        if (cc >= cua_data_min_cc(data, data->umd[i].branch))
            last = data->umd[i].branch;
    if (oldest < first)
        snprintf(text, size,
                 "driver branch %u does not know GPUs of compute capability %u.%u yet; %u is the "
                 "first that does",
                 oldest, cc / 10, cc % 10, first);
    else if (cc < cua_data_min_cc(data, newest) && !last)
        snprintf(text, size, "driver branch %u has dropped GPUs of compute capability %u.%u",
                 newest, cc / 10, cc % 10);
    else if (cc < cua_data_min_cc(data, newest))
        snprintf(text, size,
                 "driver branch %u has dropped GPUs of compute capability %u.%u; %u is the last "
                 "that knows them",
                 newest, cc / 10, cc % 10, last);
}

const struct cua_row_umd *cua_gpu_driver(const struct cua_data *data, unsigned cuda, unsigned cc,
                                         const struct cua_row_umd **last)
{
    const struct cua_row_umd *first = NULL;
    char refused[160];

    *last = NULL;
    for (size_t i = 0; i < data->umds; i++) {
        const struct cua_row_umd *row = &data->umd[i];
        cua_gpu_refusal(refused, sizeof refused, data, cc, row->branch, row->branch);
        if (first && refused[0] && !*last)
            *last = row - 1;
        if (!first && row->cuda >= cuda && !refused[0])
            first = row;
    }
    return first;
}
