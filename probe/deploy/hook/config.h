/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what a bundle's config.json says about the container (opencontainers/runtime-spec,
 * config.md). */
#ifndef CUA_HOOK_CONFIG_H
#define CUA_HOOK_CONFIG_H

#include <stdbool.h>

#include "base/json.h"

struct cua_container {
    int root;      /* O_PATH descriptor of the root file system */
    bool read;     /* the hook's standard input was read to its end */
    bool gpu;      /* it has a GPU, or asks for one */
    bool refuses;  /* by its annotations or its environment it refuses cuarbiter */
    bool readonly; /* its root is read-only */
    /* It may have a capability with which it could reach more of the node through a mount. */
    bool mighty;
    long pid;     /* number of its process; 0 if the state has none */
    char id[128]; /* the container's ID; "" if the state has none */
    /* Names for Kubernetes, from the annotations of its engine; "" if there are none. */
    char namespace[256], pod[256], name[256], image[256];
    char label[256]; /* SELinux's label for its mounts; "" */
    const char *why; /* why it is left alone; set when a function fails */
};

/* Takes from annotations (of config.json or of the state) whether the container refuses cuarbiter
 * or asks for a GPU. */
void cua_config_annotations(struct cua_container *container, const struct cua_json *json);

/* Fills in all fields except `root`. Returns 0; or -errno, with `why` set, and then the container
 * is left alone. */
int cua_config_read(struct cua_container *container, const struct cua_json *json);

#endif
