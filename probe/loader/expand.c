/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/expand.h"

#include <limits.h>
#include <string.h>

#include "base/text.h"

/* The length of the token at `text`, which is behind a '$'; 0 where it is another. */
static size_t token(const char *text, const char *name)
{
    bool braces = text[0] == '{';
    size_t length = strlen(name);
    char after;

    text += braces;
    if (strncmp(text, name, length) != 0)
        return 0;
    after = text[length];
    if (braces)
        return after == '}' ? length + 2 : 0;
    if ((after >= 'A' && after <= 'Z') || (after >= 'a' && after <= 'z') ||
        (after >= '0' && after <= '9') || after == '_')
        return 0;
    return length;
}

bool cua_expand(struct cua_ldso *ldso, const char *in, size_t length, const char *origin, char *out,
                size_t size)
{
    const char *end = in + length;
    size_t used = 0;

    if (!memchr(in, '$', length))
        return cua_copy_n(out, size, in, length);
    out[0] = 0;
    while (in < end) {
        const char *with = NULL;
        size_t skip = 0;
        if (*in == '$') {
            if ((skip = token(in + 1, "ORIGIN")))
                with = origin;
            else if ((skip = token(in + 1, "LIB")))
                with = ldso->lib;
            else if ((skip = token(in + 1, "PLATFORM"))) {
                cua_ldso_ask(ldso);
                with = ldso->platform;
            }
            if (skip && (!with || !with[0])) {
                out[0] = 0;
                return true;
            }
        }
        if (used + (with ? strlen(with) : 1) >= size)
            return false;
        if (with) {
            cua_copy(out + used, size - used, with);
            used += strlen(with);
            in += 1 + skip;
        } else {
            out[used++] = *in++;
        }
        out[used] = 0;
    }
    return true;
}

bool cua_expand_folder(struct cua_ldso *ldso, const char *in, size_t length, const char *origin,
                       char *out, size_t size)
{
    return length ? cua_expand(ldso, in, length, origin, out, size) : cua_copy(out, size, ".");
}

bool cua_expand_list(struct cua_ldso *ldso, const char *list, const char *origin, char *out,
                     size_t size)
{
    size_t used = 0, length;

    for (out[0] = 0;; list += length + 1) {
        char *element = out + used + (used != 0);
        size_t room = size - used - (used != 0);

        length = strcspn(list, ":");
        if (room == 0)
            return false;
        if (cua_expand_folder(ldso, list, length, origin, element, room)) {
            if (element[0] && used)
                out[used] = ':';
            if (element[0])
                used = (size_t)(element - out) + strlen(element);
        } else if (room < PATH_MAX) {
            return false;
        }
        out[used] = 0;
        if (!list[length])
            return true;
    }
}
