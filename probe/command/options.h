/* SPDX-License-Identifier: Apache-2.0 */
/* getopt_long(3) as the verbs use it. */
#ifndef CUA_OPTIONS_H
#define CUA_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "command/verb.h"

/* Returned by cua_option after --help or a mistake; *code then holds the exit code. */
#define CUA_OPTION_DONE (-2)

/* The next option of the command line, as manual.c has it for this verb: its letter, -1 after the
 * last. Only options before the first other word are taken with `strict`. */
int cua_option(const struct cua_verb *verb, int argc, char **argv, bool strict, int *code);

/* As cua_usage(), with the value that is wrong; NULL: none was given. */
int cua_usage_value(const struct cua_verb *verb, const char *value, const char *wrong);

#define CUA_ENV_MOST 64

/* What --env gave, for cua_subject.env. Zeroed: nothing. */
struct cua_env {
    char *list[CUA_ENV_MOST + 1];
    size_t count;
};

/* Takes NAME=VALUE, which stays the caller's. NULL, or what is wrong. */
const char *cua_option_env(struct cua_env *env, char *value);

/* A whole number from `least` to `most`, or -1. */
long cua_option_number(const char *text, long least, long most);

#endif
