/* SPDX-License-Identifier: Apache-2.0 */
/* From a machine to a verdict: the one way that shim and command both go. */
#ifndef CUA_GATHER_H
#define CUA_GATHER_H

#include "facts/facts.h"
#include "base/policy.h"
#include "rules/rules.h"
#include "machine/settings.h"
#include "machine/subject.h"
#include "facts/overrides.h"

/* All of it, then the rules, then what the rules still want, until they are content. Of a subject
 * that is not this process nothing is run. The verdict points into the facts. 0 or -errno. */
int cua_decide(struct cua_facts *facts, struct cua_verdict *verdict,
               const struct cua_subject *subject, const struct cua_settings *settings,
               const struct cua_policy *policy, const struct cua_overrides *overrides);

#endif
