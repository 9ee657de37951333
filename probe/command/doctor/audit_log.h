/* SPDX-License-Identifier: Apache-2.0 */
/* What `cuarbiter doctor` learns about a command's processes: from the file that doctor's LD_AUDIT
 * module (audit/audit.c) writes, and from the log of the shim (libcuarbiter.so). */
#ifndef CUA_DOCTOR_SEEN_H
#define CUA_DOCTOR_SEEN_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_SEEN_FILES 24
#define CUA_SEEN_INITS 8
#define CUA_SEEN_MAPS  2000
#define CUA_SEEN_LINES 12

/* One program in one process. Each program that the process executes has its own entry. */
struct cua_seen {
    long pid;
    char *program;
    bool shim;    /* it has mapped libcuarbiter.so */
    bool watched; /* cuInit of one of its libcudas is watched */
    /* The shim has executed this program a second time in the same process, with a libcuda
     * preloaded (shim/exec.h). So this entry does not count; the next entry of the process does. */
    bool again;
    /* The driver's libraries (include/cuarbiter/libraries.h), in the order in which it mapped
     * them. */
    char *files[CUA_SEEN_FILES];
    size_t file_count;
    char **maps; /* other libraries that it has mapped */
    size_t map_count;
    struct {
        int code;
        char *file;
    } inits[CUA_SEEN_INITS];
    size_t init_count;
    char *lines[CUA_SEEN_LINES]; /* the shim's log lines about it, without their PID and level */
    size_t line_count;
};

struct cua_seen_all {
    struct cua_seen *seen;
    size_t count;
    bool audited; /* the audit module was loaded by at least one process */
};

/* Reads the files that the audit module (`seen_file`) and the shim (`log_file`) have written; a
 * file that cannot be opened counts as empty. `all` must be zero at first. Returns 0 or -ENOMEM. */
int cua_seen_read(struct cua_seen_all *all, const char *seen_file, const char *log_file);
void cua_seen_free(struct cua_seen_all *all);

#endif
