/* SPDX-License-Identifier: Apache-2.0 */
/* Reads CUDA_VISIBLE_DEVICES as libcuda does in the subject (the process that is examined). */
#ifndef CUA_VISIBLE_H
#define CUA_VISIBLE_H

#include "facts/facts.h"
#include "machine/subject.h"

/* Sets `visible` of each GPU, and `visible_note`, by `list`, a value of CUDA_VISIBLE_DEVICES (NULL:
 * the variable is not set). If it is not known which GPUs the list means, all become visible. The
 * GPUs of `facts` are in PCI order. `fastest_first`: CUDA_DEVICE_ORDER is not PCI_BUS_ID, so the
 * indices in `list` count the GPUs by speed, which is not known here. */
void cua_visible_read(struct cua_facts *facts, const char *list, bool fastest_first);

/* Calls cua_visible_read with `override_visible` or, if that is NULL, with CUDA_VISIBLE_DEVICES of
 * the subject's environment. CUDA_DEVICE_ORDER is always that of the subject's environment. */
void cua_visible_apply(struct cua_facts *facts, const struct cua_subject *subject,
                       const char *override_visible);

#endif
