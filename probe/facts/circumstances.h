/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers the circumstances in which another driver must not replace a host's driver that works
 * (struct cua_circumstances). */
#ifndef CUA_CIRCUMSTANCES_H
#define CUA_CIRCUMSTANCES_H

#include "facts/facts.h"
#include "machine/subject.h"

/* If the native UMD (the kernel driver's own libcuda) has not been looked for yet, `graphics`
 * depends on the environment alone. */
void cua_circumstances_gather(struct cua_facts *facts, const struct cua_subject *subject);

#endif
