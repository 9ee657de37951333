/* SPDX-License-Identifier: Apache-2.0 */
#include "base/policy.h"

#include "base/text.h"

static const char *const policies[] = {"auto", "report", "newest", "host", "compat", "off"};

const char *const cua_trial_kinds[CUA_TRIAL_KINDS] = {"auto", "never", "always"};

int cua_policy_find(const char *name)
{
    return cua_find(policies, sizeof(policies) / sizeof(*policies), name);
}

const char *cua_policy_name(enum cua_policy_kind kind)
{
    return policies[kind];
}
