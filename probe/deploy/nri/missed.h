/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the containers that started while no plugin ran. */
#ifndef CUA_NRI_MISSED_H
#define CUA_NRI_MISSED_H

#include "deploy/nri/protobuf.h"

/* Writes a line "missed" to the journal for each container in a Synchronize request that has a GPU
 * and never got the hook. Does it in a child process, for which it does not wait: a container's
 * file system may not respond. `socket`: the plugin's, which the child closes. */
void cua_nri_missed(struct cua_bytes request, int socket);

#endif
