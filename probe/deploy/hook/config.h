/* SPDX-License-Identifier: Apache-2.0 */
/* For cuarbiter's OCI hook: reads config.json, which describes the container in its bundle
 * (opencontainers/runtime-spec, config.md). container.h reads the other description, the state: a
 * JSON text that the runtime writes to the hook's standard input (runtime.md). */
#ifndef CUA_HOOK_CONFIG_H
#define CUA_HOOK_CONFIG_H

#include <stdbool.h>

#include "base/json.h"

/* The annotation by which a container refuses cuarbiter, with any value. */
#define CUA_HOOK_ANNOTATION "cuarbiter-policy"

struct cua_container {
    int root;      /* O_PATH descriptor of the root folder; -1: not open */
    bool read;     /* the state was read to its end, and is JSON */
    bool gpu;      /* the container has a GPU, or asks for one */
    bool refuses;  /* its annotations or its environment refuse cuarbiter */
    bool readonly; /* the container's root is read-only */
    /* The container may have a capability with which it could make a read-only mount writable, or
     * read files of a mount's file system outside the mounted folder. */
    bool mighty;
    long pid;     /* the container's process; -1 if the state names none */
    char id[128]; /* the container's ID; "" if the state has none, or none that fits */
    /* The names in Kubernetes, from annotations that the container engine wrote; "" if there are
     * none. */
    char namespace[256], pod[256], name[256], image[256];
    /* CUARBITER_POLICY in its environment; "" if not set; "too long" if it does not fit. */
    char policy[16];
    bool own_site;   /* has CUA_FILE_SITE, so its programs do not read the node's site file */
    char label[256]; /* SELinux label for the container's mounts; "" if none */
    const char *why; /* why the container is left alone; set when a function fails */
};

/* Reads from the annotations in `json` (config.json or the state) whether the container refuses
 * cuarbiter or asks for a GPU, and its names in Kubernetes. */
void cua_config_annotations(struct cua_container *container, const struct cua_json *json);

/* Fills in the fields that come from config.json: all but root, read, pid, id and own_site. Returns
 * 0; or -errno if the container must be left alone, with the reason in container->why. */
int cua_config_read(struct cua_container *container, const struct cua_json *json);

#endif
