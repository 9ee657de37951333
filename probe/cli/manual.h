/* SPDX-License-Identifier: Apache-2.0 */
/* The description of each verb and its options, in one place: --help, getopt's options,
 * cuarbiter(1) and the shell completions are generated from it. Plain data, because it is also
 * compiled for the build machine. */
#ifndef CUA_MANUAL_H
#define CUA_MANUAL_H

#include <stddef.h>

struct cua_manual_option {
    int letter;       /* the value that getopt returns; 0: a heading, with its text in `help` */
    const char *name; /* without the dashes */
    /* What --help calls the option's value; NULL: the option has none. The shell completions know
     * what to offer for FILE, DIR, POLICY, LEVEL and PID. */
    const char *value;
    const char *help; /* NULL: the option is accepted but not shown */
};

/* A verb of the command, such as `status`. The texts are paragraphs joined by newlines. A paragraph
 * that begins with a blank is an example and is printed unchanged. */
struct cua_manual {
    const char *name;
    const char *summary;  /* one line for `cuarbiter --help` */
    const char *synopsis; /* what may follow the verb, one form per line */
    const char *about;
    const struct cua_manual_option *options; /* ends with a row of zeros */
    const char *exit;
    /* What the shell completions offer for arguments that are not options. FILE: files; CODE: the
     * codes of `explain --list`; COMMAND: "--" and, after that, a command line; words in lower
     * case: these words; "": nothing. */
    const char *operand;
};

extern const struct cua_manual cua_manual[];
extern const size_t cua_manual_count;

/* The entry of a verb; NULL if there is no such verb. */
const struct cua_manual *cua_manual_find(const char *name);

#endif
