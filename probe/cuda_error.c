/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_errors.h"

#include <stddef.h>

#include "trial.h"

static const struct {
    int code;
    const char *name, *meaning;
} errors[] = {
#define CUA_ROW(code, name, meaning) {code, name, meaning},
    CUA_CUDA_ERRORS(CUA_ROW)
#undef CUA_ROW
};

const char *cua_cuda_error_name(int code)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
        if (errors[i].code == code)
            return errors[i].name;
    return "";
}

const char *cua_cuda_error_meaning(int code)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
        if (errors[i].code == code)
            return errors[i].meaning;
    return "";
}
