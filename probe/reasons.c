/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "rules.h"

static const struct {
    const char *code, *meaning, *help;
} reasons[] = {
#define ROW(name, code, meaning, help) [CUA_REASON_##name] = {code, meaning, help},
    CUA_REASONS(ROW)
#undef ROW
};

const char *cua_reason_code(enum cua_reason reason)
{
    return reason < CUA_REASON_COUNT ? reasons[reason].code : "";
}

const char *cua_reason_meaning(enum cua_reason reason)
{
    return reason < CUA_REASON_COUNT ? reasons[reason].meaning : "";
}

const char *cua_reason_help(enum cua_reason reason)
{
    return reason < CUA_REASON_COUNT ? reasons[reason].help : "";
}

enum cua_reason cua_reason_find(const char *code)
{
    for (int i = 0; i < CUA_REASON_COUNT; i++)
        if (strcmp(reasons[i].code, code) == 0)
            return (enum cua_reason)i;
    return CUA_REASON_COUNT;
}
