/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter run`: executes a command with the shim (libcuarbiter.so) in LD_PRELOAD. */
#ifndef CUA_VERB_RUN_H
#define CUA_VERB_RUN_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_run;

#endif
