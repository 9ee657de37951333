/* SPDX-License-Identifier: Apache-2.0 */
/* Trials: a child process calls cuInit of one file, another one asks NVML for the GPUs. Each has a
 * process of its own, because a process that failed cuInit once cannot try another driver. The
 * child is the command, executed as `cuarbiter trial --helper`, without LD_PRELOAD, without
 * inherited descriptors, and with nothing for the program's SIGCHLD handler or wait; child.h shows
 * how. No context is made. The calling thread waits meanwhile. Any thread may ask; errno is
 * kept. */
#ifndef CUA_TRIAL_H
#define CUA_TRIAL_H

#include <stdbool.h>

#include "trial/outcome.h"

/* Asks NVML and then tries the files, in order, within one limit, or takes what was kept of that
 * (cache.h). 0; else what kept the rest from being tried, which is CUA_TRIAL_UNTRIED: an enum
 * cua_trial_bar, or -errno if no child could be started. */
int cua_trial_ask(struct cua_trial_answers *answers, const struct cua_trial_request *request);

/* The same in words. */
const char *cua_trial_why_not(int bar);

/* Whether it is the file that does not load: the native driver does, in the same run, and nothing
 * is absent that the program may know where to find. What codes count, the rules say. */
bool cua_trial_refused(const struct cua_trial *trial);

#endif
