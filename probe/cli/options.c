/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuarbiter/names.h"
#include "cli/help.h"
#include "cli/manual.h"
#include "cli/suggest.h"
#include "cli/verb.h"

#define CUA_OPTIONS_MOST 20

/* Returns --help and the verb's options as the array that getopt_long takes. */
static const struct option *options_of(const struct cua_manual *manual)
{
    static struct option list[CUA_OPTIONS_MOST];
    size_t count = 0;

    list[count++] = (struct option){"help", no_argument, NULL, 'h'};
    for (const struct cua_manual_option *row = manual->options; row->name || row->help; row++)
        if (row->name && count < CUA_OPTIONS_MOST - 1)
            list[count++] = (struct option){row->name, row->value ? required_argument : no_argument,
                                            NULL, row->letter};
    list[count] = (struct option){NULL, 0, NULL, 0};
    return list;
}

/* Writes a hint such as "; did you mean --kmd?" if `word` is --kdm; "" if no option is similar. */
static void hint(char *out, size_t size, const struct option *options, const char *word)
{
    const char *best = NULL;
    unsigned distance = CUA_NEAR;

    out[0] = '\0';
    for (; word[0] == '-' && word[1] == '-' && options->name; options++) {
        unsigned mine = cua_distance(word + 2, options->name);
        if (mine < distance) {
            distance = mine;
            best = options->name;
        }
    }
    if (best)
        snprintf(out, size, "; did you mean --%s?", best);
}

int cua_option(const struct cua_verb *verb, int argc, char **argv, bool strict, int *code)
{
    const struct cua_manual *manual = cua_manual_find(verb->name);
    const struct option *options = options_of(manual);
    char what[320], near[64];

    opterr = 0;
    int at = optind ? optind : 1;
    int found = getopt_long(argc, argv, strict ? "+:h" : ":h", options, NULL);
    if (found == 'h') {
        cua_help_verb(manual);
        *code = 0;
        return CUA_OPTION_DONE;
    }
    if (found != '?' && found != ':')
        return found;
    /* Finds the option that is wrong: it is the last argument that getopt_long has read, just
     * before optind. While getopt_long reads a group of short options (-xy), optind still points to
     * the group. */
    const char *word = optind > at ? argv[optind - 1] : argv[at];
    if (word[0] != '-' && optind < argc)
        word = argv[optind];
    hint(near, sizeof(near), options, word);
    if (found == '?' && optopt && word[0] == '-' && word[1] != '-')
        snprintf(what, sizeof(what), "-%c: there is no such option", optopt);
    else if (found == '?' && optopt)
        snprintf(what, sizeof(what), "%.*s: takes no value", (int)strcspn(word, "="), word);
    else
        snprintf(what, sizeof(what), "%.200s: %s%s", word,
                 found == ':' ? "a value is missing" : "there is no such option",
                 found == ':' ? "" : near);
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

const char *cua_option_env(struct cua_env *env, char *value)
{
    if (!strchr(value, '='))
        return "--env needs NAME=VALUE";
    if (env->count == CUA_ENV_MOST)
        return "--env can be given 64 times at most";
    env->list[env->count++] = value;
    return NULL;
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
