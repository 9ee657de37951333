/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what `node check` has found out about the ways. */
#ifndef CUA_NODE_REPORT_H
#define CUA_NODE_REPORT_H

#include "deploy/node/way.h"

void cua_ways_print(const struct cua_ways *ways);

/* Writes members of the open object. `hook`: "works" or "fails"; NULL if it was not tried.
 * `policy`: the one in the node's site file, or NULL. */
void cua_ways_json(const struct cua_ways *ways, const char *hook, const char *policy);

#endif
