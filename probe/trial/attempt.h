/* SPDX-License-Identifier: Apache-2.0 */
/* One file tried in one child: its environment, its arguments, and what its end means. */
#ifndef CUA_TRIAL_ATTEMPT_H
#define CUA_TRIAL_ATTEMPT_H

#include "trial/outcome.h"

/* An absolute path; an NVML's, where `answers` receives GPUs. `deadline` by cua_child_now. 0;
 * CUA_BAR_SIGNAL or -errno if there is no answer, and then `trial` is as it was. */
int cua_attempt(struct cua_trial *trial, struct cua_trial_answers *answers,
                const struct cua_trial_request *request, const char *file, long long deadline);

#endif
