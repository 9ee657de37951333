/* SPDX-License-Identifier: Apache-2.0 */
/* What a bundle's config.json says of the container (opencontainers/runtime-spec, config.md). */
#ifndef CUA_HOOK_CONFIG_H
#define CUA_HOOK_CONFIG_H

#include <stdbool.h>

#include "base/json.h"

struct cua_container {
    int root;        /* O_PATH, the root file system */
    bool gpu;        /* it gets one, or asks for one */
    bool refuses;    /* by its annotation or its environment */
    bool readonly;   /* its root */
    bool admin;      /* it may change how its mounts are mounted, or that is not known */
    long pid;        /* of its process, 0 where the state has none */
    char id[128];    /* "" where it has none */
    char label[256]; /* SELinux's, of its mounts; "" */
    const char *why; /* why it is left alone, after an error */
};

/* Whether it says no or asks for a GPU, by the annotations of config.json or of the state. */
void cua_config_annotations(struct cua_container *container, const struct cua_json *json);

/* All but the root. 0; -errno and why, if a container of this kind is left alone. */
int cua_config_read(struct cua_container *container, const struct cua_json *json);

#endif
