/* SPDX-License-Identifier: Apache-2.0 */
#include "command/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuarbiter/names.h"
#include "command/verb.h"

int cua_option(const struct cua_verb *verb, int argc, char **argv, const struct option *options,
               bool strict, int *code)
{
    char what[256];

    opterr = 0;
    int at = optind ? optind : 1;
    int found = getopt_long(argc, argv, strict ? "+:h" : ":h", options, NULL);
    if (found == 'h') {
        fputs(verb->usage, stdout);
        *code = 0;
        return CUA_OPTION_DONE;
    }
    if (found != '?' && found != ':')
        return found;
    /* getopt moves words that are no options behind; the one it complains of is before optind. */
    const char *word = optind > at ? argv[optind - 1] : argv[at];
    if (found == '?' && optopt && word[0] == '-' && word[1] != '-')
        snprintf(what, sizeof(what), "-%c: there is no such option", optopt);
    else
        snprintf(what, sizeof(what), "%.200s: %s", word,
                 found == ':' ? "a value is missing" : "there is no such option");
    *code = cua_usage(verb, what);
    return CUA_OPTION_DONE;
}

int cua_usage_value(const struct cua_verb *verb, const char *value, const char *wrong)
{
    char what[512];

    if (!value)
        return cua_usage(verb, wrong);
    snprintf(what, sizeof(what), "%.200s: %s", value, wrong);
    return cua_usage(verb, what);
}

long cua_option_number(const char *text, long least, long most)
{
    char *end;

    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < least || value > most)
        return -1;
    return value;
}
