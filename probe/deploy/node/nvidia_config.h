/* SPDX-License-Identifier: Apache-2.0 */
/* Reads how NVIDIA's container toolkit is configured on a node (its config.toml). */
#ifndef CUA_NODE_NVIDIA_CONFIG_H
#define CUA_NODE_NVIDIA_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/* The two paths of config.toml: where the toolkit's package puts it, and where the GPU Operator
 * does. */
#define CUA_NVIDIA_CONFIGS 2
extern const char *const cua_nvidia_configs[CUA_NVIDIA_CONFIGS];

/* NVIDIA's own hook for bundled drivers makes ld.so prefer the driver that an image bundles.
 * Returns the setting that switches this hook off, as a text to be shown; NULL if there is no such
 * setting, or no file that can be read. `root`: the root folder of the node; "" for this
 * machine. */
const char *cua_nvidia_hook_off(const char *root);

#endif
