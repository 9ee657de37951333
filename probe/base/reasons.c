/* SPDX-License-Identifier: Apache-2.0 */
/* Texts by offset, not by address: the engine, which is loaded into other programs, then has
 * nothing here to relocate. */
#include "base/reasons.h"

#include <stddef.h>
#include <stdint.h>

static const struct texts {
#define ROW(name, code, meaning, help)                                                             \
    char code_##name[sizeof(code)], meaning_##name[sizeof(meaning)], help_##name[sizeof(help)];
    CUA_REASONS(ROW)
#undef ROW
} texts = {
#define ROW(name, code, meaning, help) code, meaning, help,
    CUA_REASONS(ROW)
#undef ROW
};

static const struct {
    uint16_t code, meaning, help;
} reasons[] = {
#define ROW(name, code, meaning, help)                                                             \
    [CUA_REASON_##name] = {offsetof(struct texts, code_##name),                                    \
                           offsetof(struct texts, meaning_##name),                                 \
                           offsetof(struct texts, help_##name)},
    CUA_REASONS(ROW)
#undef ROW
};
_Static_assert(sizeof(texts) <= UINT16_MAX, "offsets have 16 bits");

static const char *text(uint16_t at)
{
    return (const char *)&texts + at;
}

const char *cua_reason_code(enum cua_reason reason)
{
    return reason < CUA_REASON_COUNT ? text(reasons[reason].code) : "";
}

const char *cua_reason_meaning(enum cua_reason reason)
{
    return reason < CUA_REASON_COUNT ? text(reasons[reason].meaning) : "";
}

const char *cua_reason_help(enum cua_reason reason)
{
    return reason < CUA_REASON_COUNT ? text(reasons[reason].help) : "";
}
