/* SPDX-License-Identifier: Apache-2.0 */
/* The child's side of a trial. */
#ifndef CUA_HELPER_H
#define CUA_HELPER_H

#include <stdbool.h>

/* Tries the driver `file`, or asks it about the GPUs where it is an NVML; prints the result for the
 * parent on descriptor `out`. Returns the exit code. */
int cua_trial_helper(const char *file, bool nvml, int out);

#endif
