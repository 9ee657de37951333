/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs by NVML of the native driver. */
#ifndef CUA_TRIAL_NVML_H
#define CUA_TRIAL_NVML_H

#include "facts/facts.h"
#include "machine/subject.h"

/* Loads the native driver's NVML; fills unknown brands and compute capabilities. */
void cua_nvml_gather(struct cua_facts *facts, const struct cua_subject *subject);

#endif
