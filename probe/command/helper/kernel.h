/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a kernel on each GPU, in the child process of a trial, which loads a driver and calls it
 * (trial/trial.h). */
#ifndef CUA_KERNEL_H
#define CUA_KERNEL_H

#include "trial/outcome.h"

/* On each GPU, makes a context, lets the driver compile a small kernel from PTX, runs the kernel,
 * and checks the result. `handle` is the driver's, from dlopen. The driver's cuInit must have
 * returned 0, and trial->devices must be known. Calls `tell` before each step. trial->code receives
 * the code of the first call that fails. A wrong result or a missing function makes the trial
 * CUA_TRIAL_BROKEN. */
void cua_kernel_try(struct cua_trial *trial, void *handle,
                    void (*tell)(struct cua_trial *trial, enum cua_trial_step step));

#endif
