/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the options of the verbs with getopt_long(3). */
#ifndef CUA_OPTIONS_H
#define CUA_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/verb.h"

/* Returned by cua_option after --help or a mistake: the verb must return *code. */
#define CUA_OPTION_DONE (-2)

/* Returns the letter of the next option, as manual.c lists it for this verb; -1 after the last one.
 * `strict`: the first argument that is not an option ends the options. */
int cua_option(const struct cua_verb *verb, int argc, char **argv, bool strict, int *code);

/* Like cua_usage() for an option's value that is wrong, and prints it. `value` NULL: the value is
 * missing. */
int cua_usage_value(const struct cua_verb *verb, const char *value, const char *wrong);

#define CUA_ENV_MOST 64

/* The variables given by --env, for cua_subject.env. Zeroed: none. */
struct cua_env {
    char *list[CUA_ENV_MOST + 1];
    size_t count;
};

/* Takes NAME=VALUE, whose memory stays the caller's. Returns NULL, or what is wrong with it. */
const char *cua_option_env(struct cua_env *env, char *value);

/* Reads a whole number from `least` to `most`; -1 if `text` is not one. */
long cua_option_number(const char *text, long least, long most);

#endif
