/* SPDX-License-Identifier: Apache-2.0 */
/* Which drivers support a GPU. */
#ifndef CUA_GPU_SUPPORT_H
#define CUA_GPU_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "tables/tables.h"

/* Whether a Tegra's GPU has this compute capability, by tegra-cc.tsv in data/. */
bool cua_gpu_is_tegra(unsigned cc);

/* Writes why a GPU of this compute capability does not work with these driver branches; "" if no
 * reason is known. A branch is the first number of a driver's version. kmd: the kernel driver's
 * branch; umd: libcuda's branch; 0: not known. */
void cua_gpu_refusal(char *text, size_t size, const struct cua_data *data, unsigned cc,
                     unsigned kmd, unsigned umd);

/* The row of the first driver branch whose CUDA is at least `cuda` and that supports GPUs of this
 * compute capability (0: any); NULL: none. If later branches do not support that GPU any more,
 * *last receives the last one that does; else NULL. */
const struct cua_row_umd *cua_gpu_driver(const struct cua_data *data, unsigned cuda, unsigned cc,
                                         const struct cua_row_umd **last);

#endif
