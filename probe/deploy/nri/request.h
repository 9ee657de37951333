/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the containers that the container runtime lists in its request Synchronize to an NRI
 * plugin. */
#ifndef CUA_NRI_REQUEST_H
#define CUA_NRI_REQUEST_H

#include <stdbool.h>

#include "deploy/hook/config.h"
#include "deploy/nri/protobuf.h"

/* Reads the next container of a Synchronize request. `request`: the part of the message that was
 * not read yet; moved past this container. `container` receives the ID, the pid, the names in
 * Kubernetes, the policy in the container's environment, and whether the container refuses
 * cuarbiter, by that policy or by an annotation. `running`: whether the container runs. False if
 * there are no more containers, or the message is damaged. */
bool cua_nri_next(struct cua_bytes *request, struct cua_container *container, bool *running);

#endif
