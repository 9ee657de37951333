/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter node`: the hook in the folder that podman and CRI-O read, for a whole node. */
#ifndef CUA_VERB_NODE_H
#define CUA_VERB_NODE_H

#include "command/verb.h"

extern const struct cua_verb cua_verb_node;

#endif
