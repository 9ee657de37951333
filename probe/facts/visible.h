/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA_VISIBLE_DEVICES, as libcuda reads it. */
#ifndef CUA_VISIBLE_H
#define CUA_VISIBLE_H

#include "facts/facts.h"
#include "machine/subject.h"

/* Marks the GPUs that `list` (NULL: unset) shows, given in PCI order; `fastest_first`: unless
 * CUDA_DEVICE_ORDER says PCI_BUS_ID, indices count by speed, which cannot be known here. */
void cua_visible_read(struct cua_facts *facts, const char *list, bool fastest_first);

/* Marks by CUDA_VISIBLE_DEVICES of the subject's environment, or by `override_visible`. */
void cua_visible_apply(struct cua_facts *facts, const struct cua_subject *subject,
                       const char *override_visible);

#endif
