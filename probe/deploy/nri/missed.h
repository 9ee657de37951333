/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the containers that missed the hook, because they started while cuarbiter's plugin did not
 * run. */
#ifndef CUA_NRI_MISSED_H
#define CUA_NRI_MISSED_H

#include "deploy/nri/protobuf.h"

/* `request`: a Synchronize request, which lists the node's containers. Writes a line "missed" to
 * the journal for each container that has a GPU, does not refuse cuarbiter, and never got the hook.
 * A child process does this, and nobody waits for it, because a container's file system may not
 * respond. `socket`: the plugin's socket, which the child closes. */
void cua_nri_missed(struct cua_bytes request, int socket);

#endif
