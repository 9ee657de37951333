/* SPDX-License-Identifier: Apache-2.0 */
/* Texts by offset, not by address: the engine, which is loaded into other programs, then has
 * nothing here to relocate. */
#include "command/cuda_error.h"

#include "command/cuda_errors.h"

#include <stddef.h>
#include <stdint.h>

static const struct texts {
#define CUA_ROW(code, name, meaning)                                                               \
    char name_##code[sizeof(name)], meaning_##code[sizeof(meaning)];
    CUA_CUDA_ERRORS(CUA_ROW)
#undef CUA_ROW
} texts = {
#define CUA_ROW(code, name, meaning) name, meaning,
    CUA_CUDA_ERRORS(CUA_ROW)
#undef CUA_ROW
};

static const struct {
    uint16_t code, name, meaning;
} errors[] = {
#define CUA_ROW(code, name, meaning)                                                               \
    {code, offsetof(struct texts, name_##code), offsetof(struct texts, meaning_##code)},
    CUA_CUDA_ERRORS(CUA_ROW)
#undef CUA_ROW
};

_Static_assert(sizeof(texts) <= UINT16_MAX, "offsets have 16 bits");

const char *cua_cuda_error_name(int code)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
        if (errors[i].code == code)
            return (const char *)&texts + errors[i].name;
    return "";
}

const char *cua_cuda_error_meaning(int code)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
        if (errors[i].code == code)
            return (const char *)&texts + errors[i].meaning;
    return "";
}
