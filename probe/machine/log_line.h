/* SPDX-License-Identifier: Apache-2.0 */
/* One line of the log: text, or JSON as docs/log.schema.json describes it. Pure but for the time,
 * the process's numbers and /proc/self/exe. */
#ifndef CUA_LOG_LINE_H
#define CUA_LOG_LINE_H

#include <stddef.h>

#define CUA_LINE_MOST 8192

/* What a process gets, for the line that says so. */
struct cua_choice {
    const char *reason, *from, *to; /* `from`: the loader's choice; paths; NULL: none */
    int without;                    /* what cuInit of `from` answers; -1 not known */
};

struct cua_line {
    const char *host, *policy, *level, *code, *sentence;
    const struct cua_choice *choice; /* NULL: the line is about something else */
};

/* `line` receives at most CUA_LINE_MOST bytes, a line end last; a text of more than 1,023 is cut.
 * Returns the length. */
size_t cua_line_json(char *line, const struct cua_line *it);
size_t cua_line_text(char *line, const struct cua_line *it);

#endif
