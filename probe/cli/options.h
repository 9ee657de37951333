/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the options of the verbs with getopt_long(3). */
#ifndef CUA_OPTIONS_H
#define CUA_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/verb.h"

/* Returned by cua_option when --help or an error message was printed: the verb must return
 * *code. */
#define CUA_OPTION_DONE (-2)

/* Returns the letter of the next option, as manual.c lists it for this verb; its value is in
 * optarg. Returns -1 after the last option, and CUA_OPTION_DONE after --help or a mistake, with the
 * exit code in *code. `strict`: the first argument that is not an option ends the options. */
int cua_option(const struct cua_verb *verb, int argc, char **argv, bool strict, int *code);

/* Like cua_usage() with the message "VALUE: WRONG", for an option or argument. If `value` is NULL,
 * because the option takes none, the message is only "WRONG". */
int cua_usage_value(const struct cua_verb *verb, const char *value, const char *wrong);

#define CUA_ENV_MOST 64

/* The variables given by --env, each as NAME=VALUE. `list` ends with NULL, so it can be used as
 * cua_subject.env. All zero: there are none. */
struct cua_env {
    char *list[CUA_ENV_MOST + 1];
    size_t count;
};

/* Adds `value`, which must be NAME=VALUE, without copying it. Returns NULL; or an error message if
 * it has no '=', or if there are CUA_ENV_MOST variables already. */
const char *cua_option_env(struct cua_env *env, char *value);

/* Reads a whole number from `least` to `most`; -1 if `text` is not one. */
long cua_option_number(const char *text, long least, long most);

#endif
