/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/cdi/kind.h"

#include <stdbool.h>
#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(const char *name, size_t length)
{
    if (!length || !is_letter(name[0]) ||
        (!is_letter(name[length - 1]) && !is_digit(name[length - 1])))
        return false;
    for (size_t i = 1; i < length; i++)
        if (!is_letter(name[i]) && !is_digit(name[i]) && !strchr("-_.", name[i]))
            return false;
    return true;
}

const char *cua_kind_trouble(const char *kind, size_t length)
{
    const char *slash = memchr(kind, '/', length);
    size_t vendor = slash ? (size_t)(slash - kind) : 0, class = slash ? length - vendor - 1 : 0;

    if (!slash || !is_name(kind, vendor) || !is_name(slash + 1, class))
        return "its kind is not VENDOR/CLASS, so no engine loads it";
    /* The CDI library of Docker 26 checks the characters of the vendor and of the class from the
     * second to the last but one, and panics if either has only one character. The panic ends
     * dockerd, even if dockerd's other specifications are valid. */
    if (vendor == 1 || class == 1)
        return "its kind has a vendor or a class of one letter, at which Docker 26 panics: use "
               "longer names";
    return NULL;
}
