/* SPDX-License-Identifier: Apache-2.0 */
/* One GPU: what the kernel module says of it, and what the tables make of that. */
#ifndef CUA_GPU_H
#define CUA_GPU_H

#include <stdbool.h>

#include "facts/facts.h"
#include "machine/subject.h"
#include "tables/tables.h"

/* One GPU more, of which nothing is known; NULL: no memory, or too many. */
struct cua_gpu *cua_gpu_add(struct cua_facts *facts);

/* Reads the text of an `information` file of /proc/driver/nvidia into a GPU; keeps what it had for
 * lines that are missing or senseless. */
void cua_gpu_read(struct cua_gpu *gpu, const char *text);

/* Brand and compute capability by model name, then by PCI device id. */
void cua_gpu_identify(struct cua_gpu *gpu, const struct cua_data *data);

/* Every GPU of the machine, brand and compute capability as far as the tables know them. */
void cua_gpus_gather(struct cua_facts *facts, const struct cua_subject *subject);

#endif
