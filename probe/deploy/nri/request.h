/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the containers that the container runtime describes in two of its requests to an NRI
 * plugin: Synchronize lists all containers, CreateContainer describes a new one. */
#ifndef CUA_NRI_REQUEST_H
#define CUA_NRI_REQUEST_H

#include <stdbool.h>

#include "deploy/hook/config.h"
#include "deploy/nri/protobuf.h"

/* Reads the next container of a Synchronize request. `request`: the part of the message that was
 * not read yet; moved past this container. `container` receives the ID, the pid, the names in
 * Kubernetes, and whether the container's own annotations refuse cuarbiter. `running`: whether the
 * container runs. False if there are no more containers. */
bool cua_nri_next(struct cua_bytes *request, struct cua_container *container, bool *running);

/* Reads the container of a CreateContainer request, and fills in the same members. Here the
 * annotations of the container's pod count too. */
void cua_nri_new(struct cua_bytes request, struct cua_container *container);

#endif
