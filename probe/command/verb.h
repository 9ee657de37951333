/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of the command. One file a verb, one row in the table of main.c. */
#ifndef CUA_VERB_H
#define CUA_VERB_H

struct cua_verb {
    const char *name;
    const char *summary; /* one line for `cuarbiter --help` */
    const char *usage;   /* the whole text of `cuarbiter NAME --help` */
    /* argv[0] is the verb. Returns the exit code. */
    int (*run)(int argc, char **argv);
};

extern const struct cua_verb cua_verb_status, cua_verb_inspect, cua_verb_trial, cua_verb_run,
    cua_verb_explain, cua_verb_doctor, cua_verb_matrix, cua_verb_cdi, cua_verb_dockerfile,
    cua_verb_install, cua_verb_uninstall;

/* `cuarbiter: what: why` on stderr. */
void cua_complain(const char *what, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* CUA_EXIT_USAGE after a complaint and a hint at --help. */
int cua_usage(const struct cua_verb *verb, const char *what);

/* The folder that shim, engine and command lie in (links of the command followed), without a slash
 * at its end; "" where it cannot be found out. */
const char *cua_home(void);

/* The shim beside the command, to stand in LD_PRELOAD; NULL, or why it cannot and in `path` the
 * file that is in the way. `path` has PATH_MAX bytes. */
const char *cua_home_shim(char *path);

#endif
