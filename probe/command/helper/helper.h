/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a trial that runs in the child process. A trial (trial/trial.h) loads a driver, or
 * NVML, in a child process and calls it, to find out whether it works. */
#ifndef CUA_HELPER_H
#define CUA_HELPER_H

#include <stdbool.h>

/* Tries the driver `file`; with `kernel`, also runs a kernel on each GPU. If `nvml`, the file is an
 * NVML, and is asked for the GPUs. Prints the result for the parent to the descriptor `out`.
 * Returns the exit code:
 * - 1: the file does not load, lacks a needed function, or made the kernel compute a wrong result
 * - 0: otherwise, even if a function returned an error code */
int cua_trial_helper(const char *file, bool nvml, bool kernel, int out);

#endif
