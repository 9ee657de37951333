/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter inspect`: shows version, CUDA and branches of a libcuda file. */
#ifndef CUA_VERB_INSPECT_H
#define CUA_VERB_INSPECT_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_inspect;

#endif
