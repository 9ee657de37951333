/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trial's result as text, lines `key value`: what the helper reports and what the cache keeps.
 * For trial.c, helper.c and answers.c.
 */
#ifndef CUA_TRIAL_REPORT_H
#define CUA_TRIAL_REPORT_H

#include <stddef.h>

#include "trial/trial.h"

/* Nothing known yet. */
void cua_trial_clear(struct cua_trial *trial);

/* All of the result, to `buf`; returns the length, 0 if it does not fit. */
size_t cua_trial_print(const struct cua_trial *trial, char *buf, size_t size);

/* Takes one line, without its newline, into the result. A key that is not known is passed over. */
void cua_trial_line(struct cua_trial *trial, const char *line);

#endif
