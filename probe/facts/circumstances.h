/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers the circumstances in which a bundled driver (one that is part of the image) must not
 * replace a host's driver that works. */
#ifndef CUA_CIRCUMSTANCES_H
#define CUA_CIRCUMSTANCES_H

#include "facts/facts.h"
#include "machine/subject.h"

/* Must be called after the native UMD (the kernel driver's own libcuda) has been looked for. */
void cua_circumstances_gather(struct cua_facts *facts, const struct cua_subject *subject);

#endif
