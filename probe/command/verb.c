/* SPDX-License-Identifier: Apache-2.0 */
#include "command/verb.h"

#include <stdarg.h>
#include <stdio.h>

#include "cuarbiter/names.h"

void cua_complain(const char *what, const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fprintf(stderr, "cuarbiter: %s: ", what);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

int cua_usage(const struct cua_verb *verb, const char *what)
{
    fprintf(stderr, "cuarbiter: %s: %s\nTry 'cuarbiter %s --help'.\n", verb->name, what,
            verb->name);
    return CUA_EXIT_USAGE;
}
