/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter code`: what a driver and a GPU make of the code in files. */
#ifndef CUA_VERB_CODE_H
#define CUA_VERB_CODE_H

#include "command/verb.h"

extern const struct cua_verb cua_verb_code;

#endif
