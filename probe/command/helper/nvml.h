/* SPDX-License-Identifier: Apache-2.0 */
/* Asks NVML, in the child process of a trial. */
#ifndef CUA_NVML_H
#define CUA_NVML_H

#include "trial/trial.h"

/* Loads this NVML and asks about every GPU; calls `tell` with each. The result is the code of
 * nvmlInit_v2, or of the step that failed. */
void cua_nvml_try(struct cua_trial *trial, const char *file,
                  void (*tell)(const struct cua_gpu *gpu));

#endif
