/* SPDX-License-Identifier: Apache-2.0 */
/* The verb `node`, for cuarbiter's OCI hook on a whole node. Switches the hook on and off in
 * hooks.d, the folder from which podman and CRI-O start hooks for every container; checks or prints
 * the hook; and runs the collector of reports and the NRI plugin. */
#ifndef CUA_VERB_NODE_H
#define CUA_VERB_NODE_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_node;

#endif
