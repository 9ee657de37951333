/* SPDX-License-Identifier: Apache-2.0 */
/* Executing a helper that this process does not notice. execve(2) sets a child's exit signal back
 * to SIGCHLD, which the program's wait sees. Hence two: a keeper, which shares this memory, never
 * executes anything and has no exit signal, so that only wait with __WCLONE or __WALL sees it; and
 * its child, which executes the helper. The keeper waits, kills, sweeps up what the helper started,
 * and ends.
 *
 * The calling thread waits meanwhile, as in vfork, with its signals blocked: at most the deadline
 * and a second, and less when a signal comes that would end the process or asks it to end. No
 * descriptor of this process is used or made: the keeper has its own table. */
#ifndef CUA_TRIAL_CHILD_H
#define CUA_TRIAL_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_CHILD_REPORT (16 * 1024)
/* The helper's descriptor for its report; 0, 1 and 2 lead nowhere, no other is open. */
#define CUA_CHILD_FD 3
/* The report's last line, by which it is known to be whole: a process that the helper left behind
 * may hold the pipe open for ever. */
#define CUA_CHILD_END "end\n"

struct cua_child {
    const char *const *argv, *const *env;
    long long deadline; /* by cua_child_now */

    /* What came of it. */
    int error;        /* errno of the step that failed; 0 */
    bool ended;       /* the report is whole, or the helper has ended */
    bool interrupted; /* by a signal that waits for the calling thread or came for the group */
    bool left_behind; /* the helper could not be reaped within a second of its kill */
    int status;       /* of the helper, as wait(2) has it; -1 not known */
    size_t length;    /* of the report */
    char report[CUA_CHILD_REPORT];
};

/* The clock of deadlines, in milliseconds. */
long long cua_child_now(void);

/* To be filled in and run once; a mapping, which is to be freed. NULL: no memory. */
struct cua_child *cua_child_new(void);
void cua_child_free(struct cua_child *child);

/* Fills in what came of it. 0, or -errno where the helper could not be executed. Keeps errno. */
int cua_child_run(struct cua_child *child);

#endif
