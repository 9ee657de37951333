/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a kernel on each GPU, in the child process of a trial. */
#ifndef CUA_KERNEL_H
#define CUA_KERNEL_H

#include "trial/outcome.h"

/* For a driver whose cuInit has answered 0, and whose GPUs are counted in trial->devices: makes a
 * context on each, has a small PTX text compiled and run, and compares what it has computed.
 * `tell` is called before each step. Fills in the code of the first step that fails; a wrong result
 * counts as a broken trial. */
void cua_kernel_try(struct cua_trial *trial, void *handle,
                    void (*tell)(struct cua_trial *trial, enum cua_trial_step step));

#endif
