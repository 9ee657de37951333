/* SPDX-License-Identifier: Apache-2.0 */
/* A verb of the command: one file and one header per verb, one row per verb in the table of main.c.
 */
#ifndef CUA_VERB_H
#define CUA_VERB_H

struct cua_verb {
    const char *name; /* of its row in manual.c, which has the rest */
    /* argv[0] is the verb. Returns the exit code. */
    int (*run)(int argc, char **argv);
};

/* The text as it may be printed, base/escape.h; lives for the next seven calls. */
const char *cua_shown(const char *text);

/* `cuarbiter: what: why` on stderr, escaped. */
void cua_complain(const char *what, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* CUA_EXIT_USAGE after a complaint and a hint at --help. */
int cua_usage(const struct cua_verb *verb, const char *what);

#endif
