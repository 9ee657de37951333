/* SPDX-License-Identifier: Apache-2.0 */
/* Fills in a struct cua_subject for another process, from its /proc/PID. */
#ifndef CUA_PROCESS_H
#define CUA_PROCESS_H

#include "machine/subject.h"

/* Sets the members of the subject that describe process `pid`: pid, env, library_path, sysroot and
 * mapped. They are valid until cua_subject_release. library_path is the value of ld.so's
 * --library-path, else LD_LIBRARY_PATH. Returns 0 or -errno, such as -EACCES if this user may not
 * examine the process, and -ESRCH if there is no such process. */
int cua_subject_of_process(struct cua_subject *subject, pid_t pid);
void cua_subject_release(struct cua_subject *subject);

/* The path in a line of /proc/PID/maps, such as "7f00-7f01 r--p 00000000 08:02 135522 /path": it
 * begins at the first slash. NULL: the line is of no file. Memory may have a name with a slash, by
 * prctl(2), and is "[anon:NAME]" there. */
char *cua_process_file(char *line);

/* Finds the next setting (a variable of cua_site_keys) in the environment of a process, to be shown
 * and not applied. Returns its name, and its value in *value; NULL: there are no more. *at must be
 * 0 for the first call. */
const char *cua_process_setting(char *const *env, size_t *at, const char **value);

#endif
