/* SPDX-License-Identifier: Apache-2.0 */
/* Executes a helper, a process that tries a driver (trial.h). The program neither receives SIGCHLD
 * for the helper nor finds it by wait. That takes two processes, because execve(2) sets the exit
 * signal of a child back to SIGCHLD:
 * - The keeper shares this process's memory and never executes anything. It has no exit signal, so
 *   only a wait with __WCLONE or __WALL sees it. It waits for the helper, kills it at the deadline,
 *   reaps what the helper started, and ends.
 * - The keeper's child executes the helper.
 *
 * Meanwhile the calling thread waits, as in vfork, with its signals blocked. It waits at most until
 * a second after the deadline. A signal that would end the process, or asks it to end, ends the
 * wait earlier. The keeper has its own table of descriptors, so it neither uses nor creates a
 * descriptor of this process. */
#ifndef CUA_TRIAL_CHILD_H
#define CUA_TRIAL_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_CHILD_REPORT (16 * 1024)
/* The helper's descriptor for its report. 0, 1 and 2 are /dev/null, and no others are open. */
#define CUA_CHILD_FD 3
/* The last line of a complete report. The keeper does not wait for the end of the pipe instead,
 * because a process that the helper left behind may hold the pipe open for ever. */
#define CUA_CHILD_END "end\n"

struct cua_child {
    const char *const *argv, *const *env;
    long long deadline; /* the helper is killed at this time (clock: cua_child_now) */

    /* The result: */
    int error;  /* errno of the step that failed; EIO: the keeper was killed; 0: neither */
    bool ended; /* the report is complete, or the helper has ended */
    /* A signal that would end the program, or asks it to end, is pending: for the calling thread,
     * for its process, or for the keeper, which is in the same process group. */
    bool interrupted;
    bool left_behind; /* the helper was killed, but could not be reaped within a second */
    int status;       /* the helper's exit status, as wait(2) reports it; -1: not known */
    size_t length;    /* length of `report` */
    char report[CUA_CHILD_REPORT];
};

/* The current time in milliseconds, by the clock that deadlines use. */
long long cua_child_now(void);

/* Returns an empty struct, in a mapping of its own. Fill it in, run it once, and free it by
 * cua_child_free. NULL: no memory. */
struct cua_child *cua_child_new(void);
void cua_child_free(struct cua_child *child);

/* Runs the helper and fills in the result. 0, or -errno if the helper could not be executed or the
 * keeper was killed. Keeps errno. */
int cua_child_run(struct cua_child *child);

#endif
