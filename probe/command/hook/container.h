/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime says of a container that is being made: the state that a hook reads from its
 * standard input, and the bundle's config.json (opencontainers/runtime-spec, config.md). */
#ifndef CUA_HOOK_CONTAINER_H
#define CUA_HOOK_CONTAINER_H

#include <stdbool.h>

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

/* Reads `state`, a descriptor, which it closes. 0 or -errno; `root` stays open after 0. */
int cua_container_read(struct cua_container *container, int state);

#endif
