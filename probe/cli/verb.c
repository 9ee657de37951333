/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verb.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "cuarbiter/names.h"

#define SHOWN 8

const char *cua_shown(const char *text)
{
    static char *shown[SHOWN];
    static unsigned count;

    size_t size = 4 * strlen(text) + 1;
    char *escaped = malloc(size);

    if (!escaped)
        return "?";
    cua_escape(escaped, size, text, CUA_ESCAPE_TEXT);
    if (strcmp(escaped, text) == 0) {
        free(escaped);
        return text;
    }
    char **mine = &shown[count++ % SHOWN];
    free(*mine);
    return *mine = escaped;
}

void cua_complain(const char *what, const char *format, ...)
{
    va_list args;

    char why[8192];

    va_start(args, format);
    vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    fflush(stdout);
    fprintf(stderr, "cuarbiter: %s: %s\n", cua_shown(what), cua_shown(why));
}

int cua_usage(const struct cua_verb *verb, const char *what)
{
    fprintf(stderr, "cuarbiter: %s: %s\nTry 'cuarbiter %s --help'.\n", verb->name, cua_shown(what),
            verb->name);
    return CUA_EXIT_USAGE;
}
