/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter node`: puts the hook into hooks.d, the folder that podman and CRI-O read, so that the
 * hook runs for every container of the node. */
#ifndef CUA_VERB_NODE_H
#define CUA_VERB_NODE_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_node;

#endif
