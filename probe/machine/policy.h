/* SPDX-License-Identifier: Apache-2.0 */
/* The policy in force, from environment and site file. */
#ifndef CUA_MACHINE_POLICY_H
#define CUA_MACHINE_POLICY_H

#include "base/policy.h"
#include "machine/settings.h"
#include "machine/subject.h"

/* Sets up the log first. Never fails: an unknown value costs one warning, and the default holds;
 * instead of an unknown policy, off. */
void cua_policy_read(struct cua_policy *policy, const struct cua_settings *settings);

/* Forgets a CUARBITER_LIBCUDA that does not exist, after one warning. It is looked for in this
 * process's own root; for another subject, which would open it, in that one's. */
void cua_policy_check(struct cua_policy *policy, const struct cua_subject *subject);

#endif
