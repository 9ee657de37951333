/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter trial`: calls cuInit of one libcuda in a child process, even if the answer is
 * cached. */
#ifndef CUA_VERB_TRIAL_H
#define CUA_VERB_TRIAL_H

#include "cli/verb.h"
#include "trial/outcome.h"

extern const struct cua_verb cua_verb_trial;

/* The same for other verbs: tries `file`, an absolute path, and waits at most `seconds`. 0; or
 * -errno or CUA_BAR_SIGNAL (a signal asks this process to end) if there is no answer. */
int cua_try_now(struct cua_trial *trial, const struct cua_settings *settings, const char *file,
                unsigned seconds);

#endif
