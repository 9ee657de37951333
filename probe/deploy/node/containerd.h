/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the ways (way.h) in which containerd's pods get a GPU, and adds them to a list: by CDI, by
 * DRA, or by one of NVIDIA's runtimes. If an NRI plugin gives cuarbiter's OCI hook to every pod,
 * adds only one way, by NRI. */
#ifndef CUA_NODE_CONTAINERD_H
#define CUA_NODE_CONTAINERD_H

#include "deploy/node/way.h"

void cua_ways_containerd(struct cua_ways *ways);

#endif
