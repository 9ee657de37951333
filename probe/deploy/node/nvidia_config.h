/* SPDX-License-Identifier: Apache-2.0 */
/* Reads how NVIDIA's container toolkit is configured on a node (its config.toml). */
#ifndef CUA_NODE_NVIDIA_CONFIG_H
#define CUA_NODE_NVIDIA_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/* The paths of config.toml: the package's and the GPU Operator's. */
#define CUA_NVIDIA_CONFIGS 2
extern const char *const cua_nvidia_configs[CUA_NVIDIA_CONFIGS];

/* Returns the setting that switches off NVIDIA's own hook for bundled drivers, as a text to be
 * shown; NULL if that hook is on. It makes ld.so find the driver that an image bundles first.
 * `root`: "" for this machine. */
const char *cua_nvidia_hook_off(const char *root);

#endif
