/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the containers in the requests of NRI. */
#ifndef CUA_NRI_REQUEST_H
#define CUA_NRI_REQUEST_H

#include <stdbool.h>

#include "deploy/hook/config.h"
#include "deploy/nri/protobuf.h"

/* Reads the next container of a Synchronize request; `request` is the part of it that was not read
 * yet. Fills in ID, process, names, and whether the container's own annotations refuse cuarbiter.
 * `running`: whether the container runs. False: there are no more. */
bool cua_nri_next(struct cua_bytes *request, struct cua_container *container, bool *running);

/* Reads the container of a CreateContainer request in the same way. It also refuses cuarbiter if an
 * annotation of its pod does so. */
void cua_nri_new(struct cua_bytes request, struct cua_container *container);

#endif
