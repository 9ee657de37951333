/* SPDX-License-Identifier: Apache-2.0 */
/* Trials: one child process calls cuInit of a libcuda; another asks NVML for the GPUs. Each has its
 * own process, because a process in which cuInit has failed cannot try another driver. The child
 * executes the command as `cuarbiter trial --helper`:
 * - It gets no LD_PRELOAD or LD_AUDIT, none of the variables of the program's debuggers and
 *   profilers, and no inherited descriptors.
 * - The program's SIGCHLD handler and wait do not notice it (child.h).
 * - It creates no CUDA context, except for `cuarbiter driver try`.
 *
 * Any thread may ask for a trial. The thread waits for the answer; errno is kept.
 *
 * Both the command and the answerer run trials. The answerer is the process that the shim in a
 * program starts to choose a libcuda (machine/asker.h). */
#ifndef CUA_TRIAL_H
#define CUA_TRIAL_H

#include <stdbool.h>

#include "trial/outcome.h"

/* Asks NVML, then tries the files in order, all within one time limit. Cached answers (cache.h) are
 * used. Returns 0 if all were tried or cached, even if some gave no answer in time. Otherwise the
 * reason: an enum cua_trial_bar or -errno. What was not tried is CUA_TRIAL_UNTRIED. */
int cua_trial_ask(struct cua_trial_answers *answers, const struct cua_trial_request *request);

/* Whether an answer about the first file is cached; if so, `trial` receives it. Starts no child and
 * creates nothing. */
bool cua_trial_kept(struct cua_trial *trial, const struct cua_trial_request *request);

/* How long this process has waited for trials so far, in milliseconds. This time counts against the
 * limit of the next trial. */
long long cua_trial_waited(void);

/* Sets that time. An answerer calls this at its start, with the time that the earlier answerer of
 * the same program has waited. */
void cua_trial_recall(long long milliseconds);

/* The text for a result of cua_trial_ask; "" for 0. */
const char *cua_trial_why_not(int bar);

/* Whether the file does not load and is itself at fault. It is at fault if the native driver (the
 * kernel driver's own libcuda) loads in the same run, and no library that the file needs is
 * missing. (The program might know where to find a missing library.) If a file loads, the rules
 * judge its code instead (rules/fate.h). */
bool cua_trial_refused(const struct cua_trial *trial);

#endif
