/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a trial as text, in lines of `key value`. The child reports the result in this
 * form, and the cache stores this text. A trial tries one file in a child process (trial.h). */
#ifndef CUA_TRIAL_REPORT_H
#define CUA_TRIAL_REPORT_H

#include <stddef.h>

#include "trial/outcome.h"

/* The word for a step: "dlopen", "needs", "cuInit", "devices", "cc", "context", "kernel"; "" for
 * CUA_STEP_NONE. */
const char *cua_trial_step_word(enum cua_trial_step step);

/* Sets the result to "not tried", with nothing known. */
void cua_trial_clear(struct cua_trial *trial);

/* Writes the result, except `left_behind`, to `buf`; returns the length, 0 if it does not fit. */
size_t cua_trial_print(const struct cua_trial *trial, char *buf, size_t size);

/* Writes a GPU that NVML has listed to `buf`, on one line; returns the length, 0 if it does not
 * fit. */
size_t cua_trial_print_gpu(const struct cua_gpu *gpu, char *buf, size_t size);

/* Reads all lines up to the one that says "end"; true if there is such a line. Without a line that
 * says how the trial ended, the result is CUA_TRIAL_BROKEN. `answers`, if not NULL, receives the
 * GPUs. `text` is changed. */
bool cua_trial_lines(struct cua_trial *trial, struct cua_trial_answers *answers, char *text);

/* Merges NVML's list of GPUs into the facts. NVML's brand and compute capability override what
 * cuarbiter's tables gave; its other fields only fill gaps. Sets gpus_known if the list is
 * complete. Sets gpus_none if NVML counts no GPU, the facts have none either, and the first file
 * was not tried or did not answer. */
void cua_trial_take_gpus(struct cua_facts *facts, const struct cua_trial_answers *answers);

#endif
