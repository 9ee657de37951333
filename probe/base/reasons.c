/* SPDX-License-Identifier: Apache-2.0 */
/* All codes and sentences are in one text. A table of pointers to them would have to be relocated
 * at every start of the program. */
#include "base/reasons.h"

#include <string.h>

#define ROW(name, code, meaning, help) code "\0" meaning "\0" help "\0"
static const char texts[] = CUA_REASONS(ROW);

static const char *text(enum cua_reason reason, unsigned which)
{
    const char *at = texts;

    if (reason >= CUA_REASON_COUNT)
        return "";
    for (unsigned n = 3 * reason + which; n; n--)
        at += strlen(at) + 1;
    return at;
}

const char *cua_reason_code(enum cua_reason reason)
{
    return text(reason, 0);
}

const char *cua_reason_meaning(enum cua_reason reason)
{
    return text(reason, 1);
}

const char *cua_reason_help(enum cua_reason reason)
{
    return text(reason, 2);
}
