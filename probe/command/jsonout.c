/* SPDX-License-Identifier: Apache-2.0 */
#include "command/jsonout.h"

#include <stddef.h>
#include <stdio.h>

static unsigned depth;
static bool first = true;

/* Length of the UTF-8 character at `s`, 0 if it is none: overlong, surrogate or cut. */
static size_t utf8(const unsigned char *s)
{
    size_t n;

    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xc2 && s[0] <= 0xdf)
        n = 2;
    else if (s[0] >= 0xe0 && s[0] <= 0xef)
        n = 3;
    else if (s[0] >= 0xf0 && s[0] <= 0xf4)
        n = 4;
    else
        return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

static void quote(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    putchar('"');
    while (*s) {
        size_t n = utf8(s);
        if (n == 0) {
            fputs("\\ufffd", stdout);
            n = 1;
        } else if (*s == '"' || *s == '\\') {
            printf("\\%c", *s);
        } else if (*s < 0x20 || *s == 0x7f) {
            printf("\\u%04x", *s);
        } else {
            fwrite(s, 1, n, stdout);
        }
        s += n;
    }
    putchar('"');
}

static void lead(const char *key)
{
    if (depth)
        printf("%s\n%*s", first ? "" : ",", (int)depth * 2, "");
    first = false;
    if (key) {
        quote(key);
        fputs(": ", stdout);
    }
}

void cua_jsonout_open(const char *key, char bracket)
{
    lead(key);
    putchar(bracket);
    depth++;
    first = true;
}

void cua_jsonout_close(char bracket)
{
    depth--;
    if (!first)
        printf("\n%*s", (int)depth * 2, "");
    putchar(bracket);
    first = false;
    if (!depth) {
        putchar('\n');
        first = true;
    }
}

void cua_jsonout_string(const char *key, const char *value)
{
    lead(key);
    quote(value);
}

void cua_jsonout_text(const char *key, const char *value)
{
    if (value && value[0])
        cua_jsonout_string(key, value);
    else
        cua_jsonout_null(key);
}

void cua_jsonout_number(const char *key, long long value)
{
    lead(key);
    printf("%lld", value);
}

void cua_jsonout_bool(const char *key, bool value)
{
    lead(key);
    fputs(value ? "true" : "false", stdout);
}

void cua_jsonout_null(const char *key)
{
    lead(key);
    fputs("null", stdout);
}
