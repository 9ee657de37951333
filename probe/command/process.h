/* SPDX-License-Identifier: Apache-2.0 */
/* Fills in a struct cua_subject for another process, from its /proc/PID. */
#ifndef CUA_PROCESS_H
#define CUA_PROCESS_H

#include "machine/subject.h"

/* Fills in the subject whose process is subject->pid: environment, LD_LIBRARY_PATH, root and mapped
 * files; other fields stay. The subject owns this memory until cua_subject_release. 0 or -errno:
 * -EACCES if the process belongs to another user, -ESRCH if it does not exist. */
int cua_subject_of_process(struct cua_subject *subject, pid_t pid);
void cua_subject_release(struct cua_subject *subject);

/* The next CUARBITER_* variable in the environment of a process, to be shown and not applied. *at
 * is 0 for the first. NULL: no more. */
const char *cua_process_setting(char *const *env, size_t *at, const char **value);

#endif
