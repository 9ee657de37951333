/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the processes of a command in /proc while the command runs, because a program that does
 * not load the audit module reports nothing. A process that starts and ends between two looks is
 * not seen. */
#ifndef CUA_DOCTOR_WATCH_H
#define CUA_DOCTOR_WATCH_H

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "command/unreached.h"

struct cua_watched {
    pid_t pid;
    /* Where /proc/PID/exe leads; if it cannot be read, the first word of the command line. */
    char *program;
    enum cua_unreached why; /* why the shim is not in it, as judged when it was first seen */
};

/* Must be all zero at first, except `command`, the command's process. */
struct cua_watch {
    pid_t command;
    struct cua_watched *seen;
    size_t count;
    struct timespec started, next;
};

/* Takes a look at the processes if it is time: often in the first second, later ten times a second.
 * Returns in how many microseconds the next look is due. */
long cua_watch_look(struct cua_watch *watch);
void cua_watch_free(struct cua_watch *watch);

#endif
