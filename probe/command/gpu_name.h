/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU as people write it: T4, rtx4090, a100. */
#ifndef CUA_GPU_NAME_H
#define CUA_GPU_NAME_H

/* The name that the tables have for it, else what was given, after a complaint that names the ones
 * near it. Lives as long as the process, or as `given`. */
const char *cua_gpu_name(const char *given);

#endif
