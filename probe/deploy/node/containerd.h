/* SPDX-License-Identifier: Apache-2.0 */
/* How containerd's pods get a GPU: by CDI, or by one of NVIDIA's runtimes. */
#ifndef CUA_NODE_CONTAINERD_H
#define CUA_NODE_CONTAINERD_H

#include "deploy/node/way.h"

void cua_ways_containerd(struct cua_ways *ways);

#endif
