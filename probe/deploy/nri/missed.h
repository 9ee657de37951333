/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the containers with a GPU that did not get cuarbiter's OCI hook, because they started while
 * cuarbiter's NRI plugin (nri.h) did not run. */
#ifndef CUA_NRI_MISSED_H
#define CUA_NRI_MISSED_H

#include "deploy/nri/protobuf.h"

/* Called when containerd lists all containers in a Synchronize request, `request`. Writes a line
 * "missed" to the hook's journal (deploy/hook/journal.h) for each running container that has a GPU,
 * does not refuse cuarbiter, has no tmpfs of the hook (cua_root_served), and is not in the journal.
 * A child process does this, and nobody waits for it, because a container's file system may not
 * respond. `socket`: the plugin's socket, which the child closes. */
void cua_nri_missed(struct cua_bytes request, int socket);

#endif
