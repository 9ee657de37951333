/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the ways in which containers of a node ask for a GPU, and which of them the hook
 * reaches. */
#ifndef CUA_NODE_WAYS_H
#define CUA_NODE_WAYS_H

#include "deploy/node/way.h"

/* Fills in all fields except `root`. */
void cua_ways_find(struct cua_ways *ways);

/* 0: the hook reaches every way; 1: it misses one; 3: that is not known, or no way is
 * configured. */
int cua_ways_code(const struct cua_ways *ways);

/* Whether no engine of this node reads CDI specifications. False if no engine was found. */
bool cua_ways_no_reader(void);

#endif
