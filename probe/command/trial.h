/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter trial`: calls cuInit of one libcuda in a child process, even if the answer is
 * cached. */
#ifndef CUA_VERB_TRIAL_H
#define CUA_VERB_TRIAL_H

#include "cli/verb.h"
#include "trial/outcome.h"

extern const struct cua_verb cua_verb_trial;

/* Runs such a trial for another verb: tries `file`, an absolute path, and waits at most `seconds`.
 * Returns 0, even if the child died or did not answer in time; trial->how shows that. Returns
 * -errno if no child could be started, and CUA_BAR_SIGNAL, CUA_BAR_STRANGER or
 * CUA_BAR_NO_COMMAND (outcome.h). */
int cua_try_now(struct cua_trial *trial, const struct cua_settings *settings, const char *file,
                unsigned seconds);

#endif
