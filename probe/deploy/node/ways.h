/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the ways in which containers of a node ask for a GPU, and which of these ways cuarbiter's
 * OCI hook reaches (way.h). */
#ifndef CUA_NODE_WAYS_H
#define CUA_NODE_WAYS_H

#include "deploy/node/way.h"

/* Finds the ways on the node whose root is ways->root, and fills in all other members, which must
 * be zero before. */
void cua_ways_find(struct cua_ways *ways);

/* Returns the exit code of `node check` for these ways:
 * - 0: the hook reaches every way;
 * - 1: the hook misses at least one way;
 * - 3: the hook misses no way, but for at least one it is not known whether the hook reaches it; or
 *   there is no way.
 * The ways of an engine that does not run count only if no other engine has any. */
int cua_ways_code(const struct cua_ways *ways);

/* Whether this node has container engines, and none of them reads CDI specifications. */
bool cua_ways_no_reader(void);

#endif
