/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a kernel on each GPU, in the child process of a trial. */
#ifndef CUA_KERNEL_H
#define CUA_KERNEL_H

#include "trial/outcome.h"

/* Call it if the driver's cuInit has answered 0 and trial->devices is known. Makes a context on
 * each GPU, lets the driver compile a small PTX text, runs it, and checks what it has computed.
 * Calls `tell` before each step. Fills in the code of the first step that fails; a wrong result
 * counts as a broken trial. */
void cua_kernel_try(struct cua_trial *trial, void *handle,
                    void (*tell)(struct cua_trial *trial, enum cua_trial_step step));

#endif
