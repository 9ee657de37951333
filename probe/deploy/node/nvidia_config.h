/* SPDX-License-Identifier: Apache-2.0 */
/* Reads how NVIDIA's container toolkit is configured on a node (its config.toml). */
#ifndef CUA_NODE_NVIDIA_CONFIG_H
#define CUA_NODE_NVIDIA_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/* How many places it is looked for in: the package's and the GPU Operator's. */
#define CUA_NVIDIA_CONFIGS 2
extern const char *const cua_nvidia_configs[CUA_NVIDIA_CONFIGS];

/* The setting that switches off NVIDIA's hook, which puts an image's bundled driver first, as it is
 * written in the file; NULL: the hook is on. `root`: "" for this machine. */
const char *cua_nvidia_hook_off(const char *root);

#endif
