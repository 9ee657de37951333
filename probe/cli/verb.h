/* SPDX-License-Identifier: Apache-2.0 */
/* A verb of the command, such as `status` in `cuarbiter status`. Each verb has its own source file,
 * which defines a struct cua_verb, and is listed in `verbs` of main.c. */
#ifndef CUA_VERB_H
#define CUA_VERB_H

struct cua_verb {
    /* The verb's name; also the key of its entry in manual.c, which describes the verb and its
     * options. */
    const char *name;
    /* Runs the verb. argv[0] is its name. Returns the exit code. */
    int (*run)(int argc, char **argv);
};

/* Escapes everything in `text` that is not printable UTF-8 (base/escape.h). Returns `text` itself
 * if there is nothing to escape, "?" if there is no memory. The result stays valid during the next
 * seven calls. */
const char *cua_shown(const char *text);

/* Prints "cuarbiter: WHAT: WHY" on stderr, both escaped. `format` and what follows make WHY.
 * Flushes stdout first. */
void cua_complain(const char *what, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints an error message about the verb's arguments, and the hint to try --help. Returns
 * CUA_EXIT_USAGE. */
int cua_usage(const struct cua_verb *verb, const char *what);

#endif
