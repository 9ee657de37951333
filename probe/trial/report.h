/* SPDX-License-Identifier: Apache-2.0 */
/* What came of a trial as text, lines `key value`: what the child reports and what is kept. */
#ifndef CUA_TRIAL_REPORT_H
#define CUA_TRIAL_REPORT_H

#include <stddef.h>

#include "trial/trial.h"

/* Nothing known yet. */
void cua_trial_clear(struct cua_trial *trial);

/* All of the result, to `buf`; returns the length, 0 if it does not fit. */
size_t cua_trial_print(const struct cua_trial *trial, char *buf, size_t size);

/* One of NVML's GPUs, as a line of its own. As above. */
size_t cua_trial_print_gpu(const struct cua_gpu *gpu, char *buf, size_t size);

/* Takes one line, without its newline, into the result; a GPU's into `answers`, where that is not
 * NULL. A key that is not known is passed over. */
void cua_trial_line(struct cua_trial *trial, struct cua_trial_answers *answers, char *line);

/* All lines up to the one that says "end". True if there is one. `text` is cut up. */
bool cua_trial_lines(struct cua_trial *trial, struct cua_trial_answers *answers, char *text);

#endif
