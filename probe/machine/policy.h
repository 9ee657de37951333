/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the policy in force from environment and site file. */
#ifndef CUA_MACHINE_POLICY_H
#define CUA_MACHINE_POLICY_H

#include "base/policy.h"
#include "machine/settings.h"
#include "machine/subject.h"

/* Reads the policy, after setting up the log. Never fails. For a setting with an unknown value the
 * default is used, with one warning per container. An unknown policy counts as off, with one
 * warning per process. */
void cua_policy_read(struct cua_policy *policy, const struct cua_settings *settings);

/* Whether cuarbiter's hook found NVIDIA's own hook switched off on this node. This costs one file
 * look-up, so call it only where a bundled driver would replace one that works. */
bool cua_policy_hook_off(const struct cua_policy *policy);

/* Drops CUARBITER_LIBCUDA, with one warning, if the file does not exist. The file is looked up
 * below this process's own root or, if another subject would open it, below that subject's root. */
void cua_policy_check(struct cua_policy *policy, const struct cua_subject *subject);

#endif
