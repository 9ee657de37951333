/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the ways (way.h) in which Docker's containers get a GPU, and adds them to a list. They are
 * the options --device (with CDI), --gpus and --runtime of docker run. */
#ifndef CUA_NODE_DOCKER_H
#define CUA_NODE_DOCKER_H

#include "deploy/node/way.h"

void cua_ways_docker(struct cua_ways *ways);

#endif
