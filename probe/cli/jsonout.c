/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/jsonout.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

static unsigned depth;
static bool first = true;

void cua_jsonout_quote(const char *text)
{
    size_t size = 6 * strlen(text) + 1;
    char *escaped = malloc(size);

    if (escaped)
        cua_escape(escaped, size, text, CUA_ESCAPE_JSON);
    printf("\"%s\"", escaped ? escaped : "");
    free(escaped);
}

static void lead(const char *key)
{
    if (depth)
        printf("%s\n%*s", first ? "" : ",", (int)depth * 2, "");
    first = false;
    if (key) {
        cua_jsonout_quote(key);
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
    cua_jsonout_quote(value);
}

void cua_jsonout_text(const char *key, const char *value)
{
    if (value && value[0])
        cua_jsonout_string(key, value);
    else
        cua_jsonout_null(key);
}

void cua_jsonout_texts(const char *key, ...)
{
    const char *member;
    va_list texts;

    va_start(texts, key);
    cua_jsonout_open(key, '{');
    while ((member = va_arg(texts, const char *)))
        cua_jsonout_text(member, va_arg(texts, const char *));
    cua_jsonout_close('}');
    va_end(texts);
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
