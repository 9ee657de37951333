/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter code`: shows what a driver and a GPU can do with the GPU code in files. */
#ifndef CUA_VERB_CODE_H
#define CUA_VERB_CODE_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_code;

#endif
