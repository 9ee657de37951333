/* SPDX-License-Identifier: Apache-2.0 */
/* Understands the names of GPUs that people write: T4, rtx4090, a100. */
#ifndef CUA_GPU_NAME_H
#define CUA_GPU_NAME_H

/* Returns the name that the tables use. If there is none, returns `given`, after an error message
 * that suggests similar names. Lives as long as the process, or as `given`. */
const char *cua_gpu_name(const char *given);

#endif
