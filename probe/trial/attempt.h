/* SPDX-License-Identifier: Apache-2.0 */
/* Tries one file, a libcuda or an NVML, in one child process, the helper (child.h): sets up
 * environment and arguments, and interprets how the helper ended. */
#ifndef CUA_TRIAL_ATTEMPT_H
#define CUA_TRIAL_ATTEMPT_H

#include "trial/outcome.h"

/* Tries `file`, an absolute path. If `answers` is not NULL, the file is an NVML, and `answers`
 * receives the GPUs. `deadline`: by the clock of cua_child_now. Returns 0 and fills in `trial`,
 * even if the helper died or hung. Otherwise leaves `trial` unchanged and returns CUA_BAR_SIGNAL (a
 * signal came before the answer), CUA_BAR_STRANGER or -errno (no helper could be started). */
int cua_attempt(struct cua_trial *trial, struct cua_trial_answers *answers,
                const struct cua_trial_request *request, const char *file, long long deadline);

#endif
