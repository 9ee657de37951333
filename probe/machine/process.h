/* SPDX-License-Identifier: Apache-2.0 */
/* The view of another process, from its /proc/PID. */
#ifndef CUA_PROCESS_H
#define CUA_PROCESS_H

#include "machine/view.h"

/* A view of the process view->pid, with its environment, its LD_LIBRARY_PATH and its root; the rest
 * of the view stays. What is read belongs to the view until cua_view_release. 0 or -errno: -EACCES
 * where the process is somebody else's, -ESRCH where there is none. */
int cua_view_of_process(struct cua_view *view, pid_t pid);
void cua_view_release(struct cua_view *view);

#endif
