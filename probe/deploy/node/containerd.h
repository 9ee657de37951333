/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the ways in which containerd's pods get a GPU: by CDI, or by one of NVIDIA's runtimes; or
 * the way by which an NRI plugin gives the hook to every pod. */
#ifndef CUA_NODE_CONTAINERD_H
#define CUA_NODE_CONTAINERD_H

#include "deploy/node/way.h"

void cua_ways_containerd(struct cua_ways *ways);

#endif
