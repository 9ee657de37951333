/* SPDX-License-Identifier: Apache-2.0 */
/* What doctor learns about a command's processes from its audit module and from the shim's log. */
#ifndef CUA_DOCTOR_SEEN_H
#define CUA_DOCTOR_SEEN_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_SEEN_FILES 24
#define CUA_SEEN_INITS 8
#define CUA_SEEN_MAPS  2000
#define CUA_SEEN_LINES 12

/* One program in one process. A process that executes a second program has two of these. */
struct cua_seen {
    long pid;
    char *program;
    bool shim;    /* it has mapped the shim */
    bool watched; /* cuInit of one of its libcudas is watched */
    /* The shim has executed this program again, so this entry does not count, only the next one. */
    bool again;
    char *files[CUA_SEEN_FILES]; /* the driver's libraries, in the order they were mapped */
    size_t file_count;
    char **maps; /* other libraries */
    size_t map_count;
    struct {
        int code;
        char *file;
    } inits[CUA_SEEN_INITS];
    size_t init_count;
    char *lines[CUA_SEEN_LINES]; /* lines "code: sentence" of the shim's log */
    size_t line_count;
};

struct cua_seen_all {
    struct cua_seen *seen;
    size_t count;
    bool audited; /* the audit module was loaded by at least one process */
};

/* Reads the files that the audit module and the shim have written. 0 or -ENOMEM. */
int cua_seen_read(struct cua_seen_all *all, const char *seen_file, const char *log_file);
void cua_seen_free(struct cua_seen_all *all);

#endif
