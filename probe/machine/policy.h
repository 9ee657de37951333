/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the policy in force from the environment and the site file (site.h). A bundled driver is
 * one that an image brings. The subject is the process that is examined (subject.h). */
#ifndef CUA_MACHINE_POLICY_H
#define CUA_MACHINE_POLICY_H

#include "base/policy.h"
#include "machine/settings.h"
#include "machine/subject.h"

/* Sets up the log, then reads the policy. Never fails. A setting with an invalid value causes a
 * warning and gets its default. Two settings differ: an unknown policy counts as off, an unknown
 * CUARBITER_DRIVERS as no. The policy is also off if the site file disables cuarbiter or is
 * permanently unusable (site.h). */
void cua_policy_read(struct cua_policy *policy, const struct cua_settings *settings);

/* Whether NVIDIA's hook that enables bundled drivers is switched off on this node, as cuarbiter's
 * OCI hook found out. This costs one file look-up, so call it only where a bundled driver would
 * replace one that works. */
bool cua_policy_hook_off(const struct cua_policy *policy);

/* Logs a warning and clears policy->libcuda (CUARBITER_LIBCUDA) if stat(2) of that file fails. For
 * this process, looks the file up without the sysroot. For another subject, looks it up below that
 * subject's root. */
void cua_policy_check(struct cua_policy *policy, const struct cua_subject *subject);

#endif
