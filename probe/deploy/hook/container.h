/* SPDX-License-Identifier: Apache-2.0 */
/* For cuarbiter's OCI hook: reads the two texts that describe a container that is being created
 * (opencontainers/runtime-spec, config.md):
 * - the state, which a hook gets as JSON on its standard input;
 * - config.json in the bundle, the folder that the state names. */
#ifndef CUA_HOOK_CONTAINER_H
#define CUA_HOOK_CONTAINER_H

#include "deploy/hook/config.h"

/* Fills in `container`. Reads the state from the descriptor `state`, closes the descriptor, and
 * reads the bundle's config.json, unless this process lacks the permission to read it. Returns 0,
 * with container->root open; or -errno, with the reason in container->why. */
int cua_container_read(struct cua_container *container, int state);

/* Whether a container's root folder (the descriptor `root`) has one of the files in /dev by which
 * programs reach an NVIDIA GPU: nvidiactl, on Tegra nvhost-ctrl, on WSL dxg. */
bool cua_container_has_gpu(int root);

#endif
