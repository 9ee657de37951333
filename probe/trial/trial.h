/* SPDX-License-Identifier: Apache-2.0 */
/* Trials: one child process calls cuInit of a libcuda; another asks NVML for the GPUs. Each has its
 * own process, because a process in which cuInit has failed cannot try another driver. The child
 * executes the command as `cuarbiter trial --helper`. It gets no LD_PRELOAD, none of the variables
 * of the program's debuggers and profilers, and no inherited descriptors. The program's SIGCHLD
 * handler and wait do not notice it (child.h). No CUDA context is created, except by `cuarbiter
 * driver try`. The calling thread waits meanwhile. Any thread may ask; errno is kept.
 *
 * The answerer is the process that the shim in a program starts to choose a libcuda
 * (machine/asker.h); it runs trials, and so does the command. */
#ifndef CUA_TRIAL_H
#define CUA_TRIAL_H

#include <stdbool.h>

#include "trial/outcome.h"

/* Asks NVML, then tries the files in order, all within one time limit, or takes cached answers
 * (cache.h). Returns 0; or, if not all were tried, the reason: an enum cua_trial_bar or -errno.
 * What was not tried is CUA_TRIAL_UNTRIED. */
int cua_trial_ask(struct cua_trial_answers *answers, const struct cua_trial_request *request);

/* Whether an answer about the first file is cached; then `trial` receives it. Starts no child and
 * creates nothing. */
bool cua_trial_kept(struct cua_trial *trial, const struct cua_trial_request *request);

/* cua_trial_waited: how long this process has waited for trials so far, in milliseconds. This
 * counts against the limit of the next trial. cua_trial_recall: an answerer calls it at its start,
 * to set this time to what the earlier answerer of the same program has waited. */
long long cua_trial_waited(void);
void cua_trial_recall(long long milliseconds);

/* The text for a result of cua_trial_ask; "" for 0. */
const char *cua_trial_why_not(int bar);

/* Whether the file does not load and is itself at fault: the native driver (the kernel driver's own
 * libcuda) loads in the same run, and the reason is not a missing library, which the program might
 * know where to find. If a file loads, the rules judge its code instead (rules/fate.h). */
bool cua_trial_refused(const struct cua_trial *trial);

#endif
