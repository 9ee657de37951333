/* SPDX-License-Identifier: Apache-2.0 */
/* The command `cuarbiter node`, which serves all containers of a node by cuarbiter's OCI hook
 * (deploy/hook). Switches the hook on and off in hooks.d, the folders from which podman and CRI-O
 * start hooks for every container. Checks or prints the hook. Runs the collector, which receives
 * reports from containers (deploy/collect), or the plugin by which containerd starts the hook
 * (deploy/nri). */
#ifndef CUA_VERB_NODE_H
#define CUA_VERB_NODE_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_node;

#endif
