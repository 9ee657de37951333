/* SPDX-License-Identifier: Apache-2.0 */
/* Understands the names of GPUs that people write: T4, rtx4090, a100. */
#ifndef CUA_GPU_NAME_H
#define CUA_GPU_NAME_H

/* Returns the name that the tables (data/models.tsv) use for this GPU; `given` itself if they know
 * that name as it is. If they have no such GPU, prints an error message that suggests similar
 * names. Then returns `given`, or its part after "GeForce ". The result is valid as long as `given`
 * is. */
const char *cua_gpu_name(const char *given);

#endif
