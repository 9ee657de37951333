/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the ways in which Docker's containers get a GPU: by the options --device (with CDI), --gpus
 * or --runtime of docker run. */
#ifndef CUA_NODE_DOCKER_H
#define CUA_NODE_DOCKER_H

#include "deploy/node/way.h"

void cua_ways_docker(struct cua_ways *ways);

#endif
