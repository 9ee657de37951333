/* SPDX-License-Identifier: Apache-2.0 */
/* Looks in /proc at the processes of a command while `cuarbiter doctor` runs it, because a program
 * that does not load doctor's LD_AUDIT module (audit/audit.c) reports nothing. A process that
 * starts and ends between two looks is not seen. */
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
    /* What keeps the shim (libcuarbiter.so) out of the process, as judged when the program was
     * first seen; CUA_REACHABLE: nothing was found. */
    enum cua_unreached why;
};

/* Must be all zero at first, except `command`: the PID of the command's first process, a child of
 * doctor. */
struct cua_watch {
    pid_t command;
    struct cua_watched *seen;
    size_t count;
    struct timespec started, next;
};

/* Takes a look at the command's process and its descendants if it is time: at first every 0.2 ms,
 * then less and less often, after 5 seconds ten times a second. Returns in how many microseconds
 * the next look is due. */
long cua_watch_look(struct cua_watch *watch);
void cua_watch_free(struct cua_watch *watch);

#endif
