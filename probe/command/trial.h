/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter trial`: cuInit of one file in a child. */
#ifndef CUA_VERB_TRIAL_H
#define CUA_VERB_TRIAL_H

#include "command/verb.h"

extern const struct cua_verb cua_verb_trial;

#endif
