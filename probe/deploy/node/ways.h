/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the ways in which containers of a node ask for a GPU, and which of these ways the hook
 * reaches. */
#ifndef CUA_NODE_WAYS_H
#define CUA_NODE_WAYS_H

#include "deploy/node/way.h"

/* Fills in all fields except `root`, which the caller has set. */
void cua_ways_find(struct cua_ways *ways);

/* The exit code. 0: the hook reaches every way; 1: the hook misses a way; 3: not known, or there is
 * no way. */
int cua_ways_code(const struct cua_ways *ways);

/* Whether no engine of this node reads CDI specifications. False if no engine was found. */
bool cua_ways_no_reader(void);

#endif
