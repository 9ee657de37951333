/* SPDX-License-Identifier: Apache-2.0 */
/* Asks NVML for the GPUs, in a child process, as a part of a trial (trial/trial.h). */
#ifndef CUA_NVML_H
#define CUA_NVML_H

#include "trial/trial.h"

/* Loads the NVML `file` and calls `tell` with what it reports about each GPU. trial->code receives
 * the code of nvmlInit_v2, or of nvmlDeviceGetCount_v2 if that is called. Ends at the first GPU
 * that NVML gives no handle for. If the file does not load, or lacks one of the functions for init,
 * count and handle, trial->how is CUA_TRIAL_UNLOADED. */
void cua_nvml_try(struct cua_trial *trial, const char *file,
                  void (*tell)(const struct cua_gpu *gpu));

#endif
