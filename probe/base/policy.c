/* SPDX-License-Identifier: Apache-2.0 */
#include "base/policy.h"

#include <string.h>

static const char *const policies[] = {"auto", "report", "host", "compat", "off"};

int cua_policy_find(const char *name)
{
    for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++)
        if (strcmp(policies[i], name) == 0)
            return (int)i;
    return -1;
}

const char *cua_policy_name(enum cua_policy_kind kind)
{
    return policies[kind];
}
