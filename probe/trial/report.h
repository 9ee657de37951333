/* SPDX-License-Identifier: Apache-2.0 */
/* What came of a trial as text, lines `key value`: what the child reports and what is kept. */
#ifndef CUA_TRIAL_REPORT_H
#define CUA_TRIAL_REPORT_H

#include <stddef.h>

#include "trial/outcome.h"

/* "dlopen", "needs", "cuInit", "devices", "cc"; "" for CUA_STEP_NONE. */
const char *cua_trial_step_word(enum cua_trial_step step);

/* Untried, and nothing known yet. */
void cua_trial_clear(struct cua_trial *trial);

/* All of the result, to `buf`; returns the length, 0 if it does not fit. */
size_t cua_trial_print(const struct cua_trial *trial, char *buf, size_t size);

/* One of NVML's GPUs, as a line of its own. As above. */
size_t cua_trial_print_gpu(const struct cua_gpu *gpu, char *buf, size_t size);

/* Takes all lines up to the one that says "end"; true if there is one. `answers` receives GPUs,
 * where it is not NULL. `text` is cut up. */
bool cua_trial_lines(struct cua_trial *trial, struct cua_trial_answers *answers, char *text);

/* Merges NVML's GPU list into the facts; NVML overrides the tables, unreported fields are kept. */
void cua_trial_take_gpus(struct cua_facts *facts, const struct cua_trial_answers *answers);

#endif
