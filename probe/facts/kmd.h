/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the kernel driver's platform, version and flavour. Never fails: what cannot be found out
 * stays unknown, and an unknown flavour is CUA_KMD_PROPRIETARY. Loads nothing and starts no
 * process. */
#ifndef CUA_KMD_H
#define CUA_KMD_H

#include "facts/facts.h"
#include "machine/subject.h"

void cua_kmd_gather(struct cua_kmd *kmd, const struct cua_subject *subject);

#endif
