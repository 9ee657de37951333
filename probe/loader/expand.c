/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/expand.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

/* Whether `text`, which follows a '$', begins with the token `name`, in braces or not. Returns the
 * length of the token with its braces, 0 if `text` begins otherwise. */
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

void cua_expand_origin(const char *file, char *out)
{
    char *slash;

    out[0] = 0;
    if (!strchr(file, '/') || (file[0] != '/' && !getcwd(out, PATH_MAX)) ||
        !cua_join(out, PATH_MAX, out, file)) {
        out[0] = 0;
        return;
    }
    slash = strrchr(out, '/');
    slash[slash == out] = 0;
}

bool cua_expand(struct cua_ldso *ldso, const char *in, size_t length, const char *origin, char *out,
                size_t size)
{
    const char *end = in + length;

    if (!memchr(in, '$', length))
        return length ? cua_copy_n(out, size, in, length) : cua_copy(out, size, ".");
    for (char *to = out; in < end; to += strlen(to)) {
        const char one[] = {*in, 0}, *with = one;
        size_t skip = 0;
        if (*in == '$') {
            if ((skip = token(in + 1, "ORIGIN"))) {
                with = origin;
            } else if ((skip = token(in + 1, "LIB"))) {
                with = ldso->lib;
            } else if ((skip = token(in + 1, "PLATFORM"))) {
                cua_ldso_ask(ldso);
                with = ldso->platform;
            }
        }
        in += 1 + skip;
        if (!with[0])
            return cua_copy(out, size, "");
        if (!cua_copy(to, size - (size_t)(to - out), with))
            return false;
    }
    return true;
}

bool cua_expand_list(struct cua_ldso *ldso, const char *list, const char *origin, char *out,
                     size_t size)
{
    const size_t before = strlen(out);
    size_t used = before, length;

    for (;; list += length + 1) {
        size_t at = used + (used != 0), room = at < size ? size - at : 0;

        length = strcspn(list, ":");
        if (room && cua_expand(ldso, list, length, origin, out + at, room)) {
            if (out[at] && used)
                out[used] = ':';
            if (out[at])
                used = at + strlen(out + at);
        } else if (room < PATH_MAX) {
            out[before] = 0;
            return false;
        }
        out[used] = 0;
        if (!list[length])
            return true;
    }
}
