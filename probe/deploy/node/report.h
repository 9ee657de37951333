/* SPDX-License-Identifier: Apache-2.0 */
/* Prints in which ways containers ask for a GPU, and whether the hook reaches them: `node
 * check`. */
#ifndef CUA_NODE_REPORT_H
#define CUA_NODE_REPORT_H

#include "deploy/node/way.h"

void cua_ways_print(const struct cua_ways *ways);

/* Writes the members of the report into the JSON object that is open. `hook`: "works" or "fails";
 * NULL if the hook was not tried. `policy`: the policy that the node's site file sets; NULL: not
 * read. */
void cua_ways_json(const struct cua_ways *ways, const char *hook, const char *policy);

#endif
