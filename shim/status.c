/* SPDX-License-Identifier: Apache-2.0 */
#include "status.h"

#include <stddef.h>

#include "text.h"

uint64_t cua_hex(const char *at)
{
    uint64_t value = 0;

    for (; (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f'); at++)
        value = value * 16 + (unsigned)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
    return value;
}

uint64_t cua_decimal(const char *at)
{
    uint64_t value = 0;

    for (; *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (unsigned)(*at - '0');
    return value;
}

const char *cua_status_line(const char *text, const char *key)
{
    for (; *text; text++) {
        if (cua_starts(text, key))
            return text + cua_length(key);
        while (*text && *text != '\n')
            text++;
        if (!*text)
            break;
    }
    return NULL;
}

uint64_t cua_status_hex(const char *text, const char *key)
{
    const char *at = cua_status_line(text, key);

    return at ? cua_hex(at) : 0;
}
