/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs: what the kernel module reports about each, and what the tables conclude from that. */
#ifndef CUA_GPU_H
#define CUA_GPU_H

#include <stdbool.h>

#include "facts/facts.h"
#include "machine/subject.h"
#include "tables/tables.h"

/* Adds a GPU about which nothing is known; NULL: no memory, or too many. */
struct cua_gpu *cua_gpu_add(struct cua_facts *facts);

/* Reads the text of an `information` file in /proc/driver/nvidia into a GPU. A line that is missing
 * or makes no sense leaves its field unchanged. */
void cua_gpu_read(struct cua_gpu *gpu, const char *text);

/* Sets brand and compute capability by the model's name, else by the PCI device ID. */
void cua_gpu_identify(struct cua_gpu *gpu, const struct cua_data *data);

/* Gathers every GPU of the machine, with brand and compute capability if the tables know them. */
void cua_gpus_gather(struct cua_facts *facts, const struct cua_subject *subject);

#endif
