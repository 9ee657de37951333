/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what the runtime says about a container that is being created: the state, which a hook gets
 * on its standard input, and the bundle's config.json (opencontainers/runtime-spec, config.md). */
#ifndef CUA_HOOK_CONTAINER_H
#define CUA_HOOK_CONTAINER_H

#include "deploy/hook/config.h"

/* Reads the state from the descriptor `state`, closes the descriptor, and reads config.json. 0 or
 * -errno; after 0 container->root is open. */
int cua_container_read(struct cua_container *container, int state);

/* Whether the /dev of the container's root folder contains a device file of the driver. */
bool cua_container_has_gpu(int root);

#endif
