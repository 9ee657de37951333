/* SPDX-License-Identifier: Apache-2.0 */
#include "base/policy.h"

#include "base/text.h"

const char *const cua_policies[CUA_POLICIES] = {"auto", "report", "newest",
                                                "host", "compat", "off"};

const char *const cua_minor_kinds[CUA_MINOR_KINDS] = {"auto", "no", "yes"};
const char *const cua_trial_kinds[CUA_TRIAL_KINDS] = {"auto", "never", "always"};

int cua_policy_find(const char *name)
{
    return cua_find(cua_policies, CUA_POLICIES, name);
}
