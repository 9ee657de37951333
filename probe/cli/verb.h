/* SPDX-License-Identifier: Apache-2.0 */
/* A verb of the command: one file and one header per verb, one row per verb in the table of main.c.
 */
#ifndef CUA_VERB_H
#define CUA_VERB_H

struct cua_verb {
    const char *name; /* name of its row in manual.c, which has the rest */
    /* argv[0] is the verb. Returns the exit code. */
    int (*run)(int argc, char **argv);
};

/* The text with control characters escaped (base/escape.h), for printing. The result stays valid
 * during the next seven calls. */
const char *cua_shown(const char *text);

/* Prints `cuarbiter: what: why` on stderr, escaped. */
void cua_complain(const char *what, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints an error message, and that --help shows the usage; returns CUA_EXIT_USAGE. */
int cua_usage(const struct cua_verb *verb, const char *what);

#endif
