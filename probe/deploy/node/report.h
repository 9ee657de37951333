/* SPDX-License-Identifier: Apache-2.0 */
/* For `cuarbiter node check`: prints in which ways containers ask for a GPU, and which of these
 * ways cuarbiter's OCI hook reaches (way.h). */
#ifndef CUA_NODE_REPORT_H
#define CUA_NODE_REPORT_H

#include "deploy/node/way.h"

void cua_ways_print(const struct cua_ways *ways);

/* Writes the members about hook, policy, CDI specifications and ways into the JSON object that is
 * open (cli/jsonout.h). `hook`: "works" or "fails"; NULL if the hook was not tried. `policy`: the
 * policy that the node's site file sets (deploy/hook/switch.h); NULL if that file was not read. */
void cua_ways_json(const struct cua_ways *ways, const char *hook, const char *policy);

#endif
