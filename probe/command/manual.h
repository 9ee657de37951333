/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The description of each verb and its options, in one place: --help, getopt, cuarbiter(1) and the
 * completions are made of it. Plain data; it is also compiled for the machine that builds.
 */
#ifndef CUA_MANUAL_H
#define CUA_MANUAL_H

#include <stddef.h>

struct cua_manual_option {
    int letter;        /* what getopt returns; 0: a heading over the options that follow */
    const char *name;  /* without the dashes */
    const char *value; /* NULL: it takes none. FILE, DIR, POLICY, LEVEL, PID are completed. */
    const char *help;  /* NULL: accepted, and not shown */
};

/* Texts are paragraphs joined by a newline. One that begins with a blank is an example: it is
 * printed as it is. */
struct cua_manual {
    const char *name;
    const char *summary;  /* one line for `cuarbiter --help` */
    const char *synopsis; /* what may follow the name, a line each */
    const char *about;
    const struct cua_manual_option *options; /* up to a row of nothing */
    const char *exit;
    const char *operand; /* how words that are no options are completed: FILE, CODE, COMMAND, or
                          * a list of words in small letters; "" */
};

extern const struct cua_manual cua_manual[];
extern const size_t cua_manual_count;

/* NULL where there is no such verb. */
const struct cua_manual *cua_manual_find(const char *name);

#endif
