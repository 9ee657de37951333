/* SPDX-License-Identifier: Apache-2.0 */
#include "base/policy.h"

#include "base/text.h"

static const char *const policies[] = {"auto", "report", "newest", "host", "compat", "off"};

static const char *const trials[] = {"auto", "never", "always"};

int cua_policy_find(const char *name)
{
    return cua_find(policies, sizeof(policies) / sizeof(*policies), name);
}

const char *cua_policy_name(enum cua_policy_kind kind)
{
    return policies[kind];
}

int cua_trial_kind_find(const char *name)
{
    return cua_find(trials, sizeof(trials) / sizeof(*trials), name);
}

const char *cua_trial_kind_name(enum cua_trial_kind kind)
{
    return trials[kind];
}
