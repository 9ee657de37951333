/* SPDX-License-Identifier: Apache-2.0 */
#include "base/escape.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Decodes the UTF-8 character at `s` and returns its length; 0 if it is not valid UTF-8 (overlong,
 * a surrogate, or cut off). */
static size_t decode(const unsigned char *s, unsigned *character)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

    if (n == 0 || s[0] > 0xf4)
        return 0;
    *character = n == 1 ? s[0] : s[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *character = *character << 6 | (s[i] & 0x3f);
    }
    if (n > 1 && (*character < least[n] || *character > 0x10ffff ||
                  (*character >= 0xd800 && *character <= 0xdfff)))
        return 0;
    return n;
}

/* Whether a character is a control of ASCII or Latin-1, ends a line, changes the direction of text,
 * or is the byte order mark. */
static bool is_control(unsigned c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

/* Writes the first character of `s` to `to`, with a NUL, and escaped if `how` needs that. Returns
 * how many bytes the character has in `s`. */
static size_t next(const unsigned char *s, enum cua_escape how, char *to, size_t size)
{
    unsigned c = 0;
    size_t n = decode(s, &c), at = 0;

    if (how == CUA_ESCAPE_JSON && n == 0)
        snprintf(to, size, "\\ufffd");
    else if (how == CUA_ESCAPE_JSON && (c == '"' || c == '\\'))
        snprintf(to, size, "\\%c", (int)c);
    else if (how == CUA_ESCAPE_JSON && is_control(c))
        snprintf(to, size, "\\u%04x", c);
    else if (n && !is_control(c))
        snprintf(to, size, "%.*s", (int)n, (const char *)s);
    else
        for (size_t i = 0; i < (n ? n : 1); i++)
            at += (size_t)snprintf(to + at, size - at, "\\x%02x", s[i]);
    return n ? n : 1;
}

size_t cua_escape(char *out, size_t size, const char *text, enum cua_escape how)
{
    const unsigned char *s = (const unsigned char *)text;
    char one[20];
    size_t used = 0, length;

    while (*s) {
        s += next(s, how, one, sizeof one);
        length = strlen(one);
        if (used + length >= size)
            break;
        memcpy(out + used, one, length);
        used += length;
    }
    out[used] = 0;
    return used;
}
