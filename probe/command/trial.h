/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter trial`: cuInit of one file in a child, now, whatever was kept. */
#ifndef CUA_VERB_TRIAL_H
#define CUA_VERB_TRIAL_H

#include "command/verb.h"
#include "trial/outcome.h"

extern const struct cua_verb cua_verb_trial;

/* The same for other verbs. An absolute path. 0, CUA_BAR_SIGNAL or -errno. */
int cua_try_now(struct cua_trial *trial, const struct cua_settings *settings, const char *file,
                unsigned seconds);

#endif
