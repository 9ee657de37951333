/* SPDX-License-Identifier: Apache-2.0 */
/* The child's side of NVML's questions. */
#ifndef CUA_NVML_H
#define CUA_NVML_H

#include "trial/trial.h"

/* Loads this NVML and asks about every GPU; `tell` receives a line for each. The result is
 * nvmlInit_v2's code, or that of the step that failed. */
void cua_nvml_try(struct cua_trial *trial, const char *file,
                  void (*tell)(const struct cua_gpu *gpu));

#endif
