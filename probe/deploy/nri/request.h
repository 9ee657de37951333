/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what the requests of NRI say about containers. */
#ifndef CUA_NRI_REQUEST_H
#define CUA_NRI_REQUEST_H

#include <stdbool.h>

#include "deploy/hook/config.h"
#include "deploy/nri/protobuf.h"

/* Takes the next container from a Synchronize request, of which `request` is what was not read yet.
 * Fills in ID, process, names, and whether the container's own annotations refuse cuarbiter;
 * `running`: it runs. False: there are no more. */
bool cua_nri_next(struct cua_bytes *request, struct cua_container *container, bool *running);

/* The same for the container of a CreateContainer request, which the pod's annotations may refuse
 * too. */
void cua_nri_new(struct cua_bytes request, struct cua_container *container);

#endif
