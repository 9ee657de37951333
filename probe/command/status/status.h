/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter status`: drivers, GPUs, the verdict and its reason. */
#ifndef CUA_VERB_STATUS_H
#define CUA_VERB_STATUS_H

#include "command/verb.h"

extern const struct cua_verb cua_verb_status;

#endif
