/* SPDX-License-Identifier: Apache-2.0 */
#include "base/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limit for one number: no version has more digits, and this many cannot overflow. */
#define MAX_DIGITS 6

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Reads a version of two or three parts; `length` receives its length in characters. Returns the
 * number of parts; 0 if `s` does not start with a version. */
static unsigned parse_parts(const char *s, unsigned part[3], size_t *length)
{
    const char *p = s;
    unsigned count = 0;

    part[0] = part[1] = part[2] = 0;
    for (;; p++) {
        size_t digits = strspn(p, "0123456789");
        if (digits == 0 || digits > MAX_DIGITS)
            return 0;
        part[count++] = (unsigned)atoi(p);
        p += digits;
        if (*p != '.' || count == 3)
            break;
    }
    if (count < 2 || *p == '.' || is_letter(*p))
        return 0;
    *length = (size_t)(p - s);
    return count;
}

size_t cua_version_parse(struct cua_version *v, const char *s)
{
    size_t length = 0;

    memset(v, 0, sizeof *v);
    if (!parse_parts(s, v->part, &length) || length >= sizeof v->text) {
        memset(v, 0, sizeof *v);
        return 0;
    }
    memcpy(v->text, s, length);
    return length;
}

bool cua_version_of_driver(struct cua_version *v, const char *s)
{
    static const size_t most[] = {3, 3, 2};
    size_t length = cua_version_parse(v, s), digits, i = 0;

    if (!length || s[length] || s[0] == '0' || v->part[0] < 10)
        return false;
    do {
        digits = strspn(s, "0123456789");
        if (digits > most[i++])
            return false;
        s += digits;
    } while (*s++);
    return true;
}

bool cua_version_known(const struct cua_version *v)
{
    return v->text[0] != 0;
}

int cua_version_compare(const struct cua_version *a, const struct cua_version *b)
{
    for (int i = 0; i < 3; i++)
        if (a->part[i] != b->part[i])
            return a->part[i] < b->part[i] ? -1 : 1;
    return 0;
}

unsigned cua_cuda_parse(const char *s)
{
    unsigned part[3];
    size_t length;

    if (!parse_parts(s, part, &length) || part[0] == 0 || part[0] > 999 || part[1] > 99)
        return 0;
    return part[0] * 1000 + part[1] * 10;
}

bool cua_cuda_starts(unsigned own, unsigned cuda)
{
    return own >= cuda || (cuda >= 11000 && own / 1000 == cuda / 1000);
}

const char *cua_cuda_text(unsigned cuda, char *buf)
{
    snprintf(buf, 12, "%u.%u", cuda / 1000 % 100000, cuda % 1000 / 10);
    return buf;
}
