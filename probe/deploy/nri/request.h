/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the containers that the container runtime describes in its requests to an NRI plugin. */
#ifndef CUA_NRI_REQUEST_H
#define CUA_NRI_REQUEST_H

#include <stdbool.h>

#include "deploy/hook/config.h"
#include "deploy/nri/protobuf.h"

/* Reads the next container of a Synchronize request. `request`: what was not read yet of the
 * message; moved past this container. `container` receives the ID, the process, the names, and
 * whether the container's own annotations refuse cuarbiter. `running`: whether the container runs.
 * False: there are no more. */
bool cua_nri_next(struct cua_bytes *request, struct cua_container *container, bool *running);

/* Reads the container of a CreateContainer request, and fills in the same members. Here the
 * annotations of the container's pod count too. */
void cua_nri_new(struct cua_bytes request, struct cua_container *container);

#endif
