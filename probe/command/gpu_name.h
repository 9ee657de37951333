/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU as people write it: T4, rtx4090, a100. */
#ifndef CUA_GPU_NAME_H
#define CUA_GPU_NAME_H

/* The name that the tables have for it, else what was said, after a complaint that names the ones
 * near it. Lives as long as the process, or as `said`. */
const char *cua_gpu_name(const char *said);

#endif
