/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter dockerfile`: prints the lines that add cuarbiter to an image. */
#ifndef CUA_VERB_DOCKERFILE_H
#define CUA_VERB_DOCKERFILE_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_dockerfile;

#endif
