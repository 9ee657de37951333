/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter trial`: calls cuInit of one file in a child, even if the answer is cached. */
#ifndef CUA_VERB_TRIAL_H
#define CUA_VERB_TRIAL_H

#include "cli/verb.h"
#include "trial/outcome.h"

extern const struct cua_verb cua_verb_trial;

/* Does the same for other verbs, for an absolute path `file`. 0, CUA_BAR_SIGNAL or -errno. */
int cua_try_now(struct cua_trial *trial, const struct cua_settings *settings, const char *file,
                unsigned seconds);

#endif
