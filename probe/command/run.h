/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter run`: a command under the shim. */
#ifndef CUA_VERB_RUN_H
#define CUA_VERB_RUN_H

#include "command/verb.h"

extern const struct cua_verb cua_verb_run;

#endif
