/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers the GPUs: what the kernel module or the PCI bus shows about each, and what the tables
 * know. */
#ifndef CUA_GPU_H
#define CUA_GPU_H

#include <stdbool.h>

#include "facts/facts.h"
#include "machine/subject.h"
#include "tables/tables.h"

/* Adds a GPU about which nothing is known. NULL: no memory, or there are too many. */
struct cua_gpu *cua_gpu_add(struct cua_facts *facts);

/* Reads the text of an `information` file below /proc/driver/nvidia/gpus into a GPU. If a line is
 * missing or not understood, its field in `gpu` stays unchanged. */
void cua_gpu_read(struct cua_gpu *gpu, const char *text);

/* Looks up brand and compute capability by the model's name. What the name does not show is looked
 * up by the PCI device ID. */
void cua_gpu_identify(struct cua_gpu *gpu, const struct cua_data *data);

/* Gathers the machine's GPUs that this process can use, as far as that is known, with brand and
 * compute capability if the tables know them. */
void cua_gpus_gather(struct cua_facts *facts, const struct cua_subject *subject);

#endif
