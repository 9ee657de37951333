/* SPDX-License-Identifier: Apache-2.0 */
/* The child's side of a trial. */
#ifndef CUA_TRIAL_HELPER_H
#define CUA_TRIAL_HELPER_H

#include <stdbool.h>

/* The child's side; prints the result for the parent on descriptor `out`. */
int cua_trial_helper(const char *file, bool contexts, int out);

#endif
