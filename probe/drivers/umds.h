/* SPDX-License-Identifier: Apache-2.0 */
/* The candidates: every libcuda file that can be found, each once, and what is known of it. */
#ifndef CUA_UMDS_H
#define CUA_UMDS_H

#include "facts/facts.h"
#include "base/policy.h"
#include "machine/subject.h"

void cua_umds_gather(struct cua_facts *facts, const struct cua_subject *subject,
                     const struct cua_policy *policy);

#endif
