/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime says of a container that is being made: the state that a hook reads from its
 * standard input, and the bundle's config.json (opencontainers/runtime-spec, config.md). */
#ifndef CUA_HOOK_CONTAINER_H
#define CUA_HOOK_CONTAINER_H

#include "command/hook/config.h"

/* Reads `state`, a descriptor, which it closes. 0 or -errno; `root` stays open after 0. */
int cua_container_read(struct cua_container *container, int state);

#endif
