/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/node/nvidia_config.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "deploy/node/engines.h"

const char *const cua_nvidia_configs[CUA_NVIDIA_CONFIGS] = {
    "/etc/nvidia-container-runtime/config.toml",
    "/usr/local/nvidia/toolkit/.config/nvidia-container-runtime/config.toml",
};

/* The settings that switch off NVIDIA's hook for bundled drivers (nvidia_config.h). They are from
 * NVIDIA/nvidia-container-toolkit, api/config/v1: features.go has the one for the hook itself;
 * runtime.go has the one for libnvidia-container, which does the same without the hook. */
static const struct {
    const char *section, *key, *value, *words;
} offs[] = {
    {"features", "disable-cuda-compat-lib-hook", "true", "disable-cuda-compat-lib-hook = true"},
    {"nvidia-container-runtime.modes.legacy", "cuda-compat-mode", "disabled",
     "cuda-compat-mode = disabled"},
};

const char *cua_nvidia_hook_off(const char *root)
{
    const char *off = NULL;
    char value[16];

    for (size_t i = 0; i < CUA_NVIDIA_CONFIGS; i++) {
        char *text = cua_engine_file(root, cua_nvidia_configs[i]);
        for (size_t k = 0; text && k < sizeof(offs) / sizeof(*offs); k++)
            if (cua_toml_get(text, offs[k].section, offs[k].key, value, sizeof(value)) &&
                strcmp(value, offs[k].value) == 0)
                off = offs[k].words;
        free(text);
    }
    return off;
}
