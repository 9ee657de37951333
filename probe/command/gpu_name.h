/* SPDX-License-Identifier: Apache-2.0 */
/* Understands the names of GPUs that people write: T4, rtx4090, a100. */
#ifndef CUA_GPU_NAME_H
#define CUA_GPU_NAME_H

/* Returns the name that the tables (data/models.tsv) use for this GPU, or `given` if they know it
 * as it is. If they have none, prints an error message that suggests similar names, and returns
 * `given`, or its part after "GeForce ". The result lives as long as the process, or as `given`. */
const char *cua_gpu_name(const char *given);

#endif
