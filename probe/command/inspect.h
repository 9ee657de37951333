/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter inspect`: who a libcuda is. */
#ifndef CUA_VERB_INSPECT_H
#define CUA_VERB_INSPECT_H

#include "command/verb.h"

extern const struct cua_verb cua_verb_inspect;

#endif
